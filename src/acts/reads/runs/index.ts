/** Lists of runs, page by page. */

import { type RunSummary, recordedStatuses } from '../../../core/record/index.ts'
import { publicJson, type Runs } from '../../../documents/index.ts'
import type { Engine, RunFilter } from '../../../engine/index.ts'
import { CommandError } from '../../../project/index.ts'
import { readMoment, readUntil, readWords } from '../../../project/text/index.ts'

/** The words that select runs, on the command line or in an address. */
export interface RunsSelection {
  readonly status?: readonly string[]
  readonly label?: readonly string[]
  readonly since?: string
  readonly until?: string
  readonly runbook?: string
  readonly text?: string
  /** The cursor that ended the page before. */
  readonly after?: string
  readonly limit: number
}

/** One page of the runs that match, newest first. `next` is where the next page begins; left out: there is none. */
export async function readRunsPage(
  { runbook, after, limit, ...words }: RunsSelection,
  engine: Engine,
): Promise<Runs> {
  const filter = {
    ...readFilter(words, Date.now(), ''),
    ...(runbook === undefined ? {} : { runbook }),
  }
  const cursor = after === undefined ? undefined : readCursor(after)
  const found = await listAfter(cursor, filter, limit + 1, engine)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    runs: shown.map((run) => publicJson(run)),
    ...(found.length > limit && last ? { next: `${Date.parse(last.started_at)}.${last.run_id}` } : {}),
  }
}

/** The last run of a page. Runs can start in the same millisecond, so its id is a part. */
interface Cursor {
  readonly atMs: number
  readonly runId: string
}

function readCursor(given: string): Cursor {
  const [, atMs, runId] = /^(\d{1,15})\.(.+)$/s.exec(given) ?? []
  if (atMs === undefined || runId === undefined)
    throw new CommandError('usage', `there is no page after "${given}"`, {
      hints: ['"next" of the page before holds the value'],
    })
  return { atMs: Number(atMs), runId }
}

/** The runs after the cursor. Those of its millisecond are listed again, as many as it takes. */
async function listAfter(
  cursor: Cursor | undefined,
  filter: RunFilter,
  wanted: number,
  engine: Engine,
): Promise<readonly RunSummary[]> {
  if (cursor === undefined) return engine.listRuns({ ...filter, limit: wanted })
  const startedBeforeMs = Math.min(cursor.atMs + 1, filter.startedBeforeMs ?? Number.POSITIVE_INFINITY)
  for (let limit = wanted + 1; ; limit *= 2) {
    const found = await engine.listRuns({ ...filter, startedBeforeMs, limit })
    const rest = found.slice(found.findIndex(({ run_id }) => run_id === cursor.runId) + 1)
    // Where the cursor's run is gone or matches no more, the others of its millisecond count as shown.
    const isThere = rest.length < found.length
    const left = isThere ? rest : found.filter(({ started_at }) => Date.parse(started_at) < cursor.atMs)
    if (left.length >= wanted || found.length < limit) return left.slice(0, wanted)
  }
}

/** The filter that these words describe. `dashes`: how messages begin the name of one, where it is not a flag. */
export function readFilter(
  { status, label, since, until, text }: Omit<RunsSelection, 'limit'>,
  now: number,
  dashes = '--',
): RunFilter {
  return {
    ...(status === undefined ? {} : { status: readWords(status, recordedStatuses, 'there is no status') }),
    ...(label === undefined
      ? {}
      : { labels: Object.fromEntries(label.map((one) => readLabel(one, dashes))) }),
    ...(since === undefined ? {} : { startedFromMs: readMoment(since, now, `${dashes}since`) }),
    ...(until === undefined ? {} : { startedBeforeMs: readUntil(until, now, `${dashes}until`) }),
    ...(text === undefined ? {} : { text }),
  }
}

function readLabel(given: string, dashes: string): readonly [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? []
  if (name !== undefined && value !== undefined) return [name.trim(), value]
  throw new CommandError('usage', `${dashes}label takes name=value, not "${given}"`)
}
