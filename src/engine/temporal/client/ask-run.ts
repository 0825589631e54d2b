import { grpcError } from '../connection-error.ts'
import { answerMs, type ClientPorts, talkToRun } from './talk-to-run.ts'

/** A worker that lets a run go in this moment, or ends, takes a question along; most answers take less. */
const firstTryMs = 4000
const deadlineExceeded = 4

/**
 * Asks a run something that changes nothing: where no answer comes it is asked again, as long as a run may take to
 * answer. Rejects as {@link talkToRun} does.
 */
export function askRun<T>(runId: string, ports: ClientPorts, ask: () => Promise<T>): Promise<T> {
  const endMs = Date.now() + answerMs
  const untilHeard = async (): Promise<T> => {
    // Each has longer than the last: an answer may take as long as it does.
    for (let tryMs = firstTryMs; ; tryMs *= 2) {
      const tryEndMs = Math.min(Date.now() + tryMs, endMs)
      try {
        return await ports.client.withDeadline(tryEndMs, ask)
      } catch (thrown) {
        if (grpcError(thrown).code !== deadlineExceeded || tryEndMs === endMs) throw thrown
      }
    }
  }
  return talkToRun(runId, ports, untilHeard)
}
