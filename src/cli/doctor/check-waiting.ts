import type { WaitingAttempt } from '../../core/record/run-record.ts'
import { listRuns } from '../../engine/temporal/client/list-runs.ts'
import { readWaiting } from '../../engine/temporal/client/read-waiting.ts'
import type { ClientPorts } from '../../engine/temporal/client/talk-to-run.ts'
import { waitText } from '../show/waiting-lines.ts'
import type { Check } from './check.ts'

/** The newest open runs that are read. */
const mostRuns = 50
/** More are counted, and not listed. */
const mostListed = 5

/** The attempts of open runs that have waited for over a minute. Nothing where there are none. */
export async function checkWaiting(ports: ClientPorts): Promise<readonly Check[]> {
  const runs = await listRuns(ports, { status: ['running', 'waiting'], limit: mostRuns })
  const found: { readonly runId: string; readonly one: WaitingAttempt }[] = []
  for (const { run_id: runId } of runs)
    for (const one of await readWaiting(ports, runId)) found.push({ runId, one })
  if (found.length === 0) return []
  const now = Date.now()
  const oldest = found.toSorted((one, other) => Date.parse(one.one.since) - Date.parse(other.one.since))
  const listed = oldest
    .slice(0, mostListed)
    .map(({ runId, one }) => `${runId} ${one.path} ${waitText(one, now)}`)
  const left = found.length - listed.length
  return [
    {
      name: 'waiting',
      status: 'warn',
      message: `${found.length} ${found.length === 1 ? 'attempt has' : 'attempts have'} waited for over a minute`,
      hints: [...listed, ...(left > 0 ? [`and ${left} more: "opsbook show RUN" lists those of a run`] : [])],
    },
  ]
}
