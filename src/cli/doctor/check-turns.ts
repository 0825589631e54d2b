import { beforeText } from '../../core/concurrency-key.ts'
import type { RunSummary } from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import { printableLine } from '../shared/terminal/printable.ts'
import { countText } from '../shared/terminal/quantity-text.ts'
import type { Check } from './check.ts'

/** More are only counted. */
const mostListed = 5
const mostCounted = 1000

/** Names the runs that wait for their turn, and those before them. The oldest come first. */
export async function checkTurns(
  engine: Pick<Engine, 'listRuns' | 'readRunState'>,
): Promise<readonly Check[]> {
  const queued = await engine.listRuns({ status: ['queued'], limit: mostCounted })
  if (queued.length === 0) return []
  const oldest = queued.toReversed().slice(0, mostListed)
  const named = await Promise.all(
    // A list of runs on Temporal lacks what each waits for. Only a worker can answer.
    oldest.map(
      async (run) => (run.turn ? run : await engine.readRunState(run.run_id).catch(() => run)) ?? run,
    ),
  )
  const left = queued.length - named.length
  return [
    {
      name: 'queued',
      status: 'ok',
      message: `${countText(queued.length, 'run')} ${queued.length === 1 ? 'waits' : 'wait'} to begin`,
      hints: [
        ...named.map((run) => `${run.run_id} since ${run.started_at}${turnText(run)}`),
        ...(left > 0 ? [`and ${left} more: "opsbook runs --status queued" lists them`] : []),
      ],
    },
  ]
}

function turnText({ turn }: RunSummary): string {
  if (!turn) return ''
  const key = printableLine(JSON.stringify(turn.key))
  return `, for the concurrency key ${key}, after ${beforeText(turn.before)}`
}
