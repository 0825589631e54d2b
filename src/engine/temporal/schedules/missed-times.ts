import { type ClientPorts, serverError } from '../client/talk-to-run.ts'
import type { MissedTimes } from '../events/messages.ts'
import { describeOwned } from './list-owned.ts'
import { runbookOf } from './runbook-of.ts'

/** How many times of each schedule of a task queue the server has not started while they could be caught up. */
export async function readMissedTimes(ports: ClientPorts): Promise<readonly MissedTimes[]> {
  const read: MissedTimes[] = []
  try {
    for await (const { id, described } of describeOwned(ports))
      read.push({
        id,
        runbook: runbookOf(id, described),
        missed: described.info.numActionsMissedCatchupWindow,
      })
  } catch (thrown) {
    throw serverError(thrown, ports)
  }
  return read
}
