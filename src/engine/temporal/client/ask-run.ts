import { grpcCodes, grpcError } from '../connection-error.ts'
import { answerMs, type ClientPorts, talkToRun } from './talk-to-run.ts'

/** A worker that lets a run go in this moment, or ends, takes a question along; most answers take less. */
const firstTryMs = 4000
/** How much earlier than here the time of a try may be over at the server. */
const aheadMs = 500
/** What a try ends with whose time is over, at the server or here. */
const outOfTime: readonly (number | undefined)[] = [grpcCodes.cancelled, grpcCodes.deadline]

/**
 * Asks a run something that changes nothing: where no answer comes it is asked again, as long as a run may take to
 * answer. Rejects as {@link talkToRun} does.
 */
export function askRun<T>(runId: string, ports: ClientPorts, ask: () => Promise<T>): Promise<T> {
  const endMs = Date.now() + answerMs
  const untilHeard = async (): Promise<T> => {
    // Each try has longer than the last: an answer may take as long as it does.
    for (let tryMs = firstTryMs; ; tryMs *= 2) {
      const tryEndMs = Math.min(Date.now() + tryMs, endMs)
      try {
        return await ports.client.withDeadline(tryEndMs, ask)
      } catch (thrown) {
        const isOver = outOfTime.includes(grpcError(thrown).code) && Date.now() > tryEndMs - aheadMs
        if (!isOver || tryEndMs === endMs) throw thrown
      }
    }
  }
  return talkToRun(runId, ports, untilHeard)
}
