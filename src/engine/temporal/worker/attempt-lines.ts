import type { Context } from '@temporalio/activity'
import { type AttemptOrder, attemptSignal, type LoggedLine } from '../messages.ts'
import { signalRun } from './write-reports.ts'

/** The lines that an action logs in one attempt. */
export interface AttemptLines {
  add(line: LoggedLine): void
  /** The attempt has ended: the lines that the workflow does not have yet. */
  end(): Promise<readonly LoggedLine[]>
}

/** Together with the largest answer this is less than the server accepts. */
const mostLength = 256 * 1024
const everyMs = 1000
/** After ten batches every tenth second is enough: the server takes 10,000 signals for one execution of a run. */
const quickBatches = 10
const slowEvery = 10
/** How long the server may take for lines, before the answer of the attempt carries them. */
const patienceMs = 5000

/** Signals new lines to the workflow while the attempt is made: at first once a second. */
export function createAttemptLines(
  { path, attempt }: AttemptOrder['request'],
  context: Pick<Context, 'client' | 'info'>,
): AttemptLines {
  let unsent: LoggedLine[] = []
  let length = 0
  let leftOut = 0
  let sending: Promise<void> | undefined
  let batches = 0
  let seconds = 0

  const send = async (lines: readonly LoggedLine[]): Promise<void> => {
    await context.client
      .withDeadline(Date.now() + patienceMs, () =>
        signalRun(context, attemptSignal, { path, attempt, lines }),
      )
      .catch(() => {
        unsent = [...lines, ...unsent]
      })
    sending = undefined
  }
  const timer = setInterval(() => {
    seconds++
    const isDue = batches < quickBatches || seconds % slowEvery === 0
    if (!isDue || sending || unsent.length === 0) return
    batches++
    const lines = unsent
    unsent = []
    sending = send(lines)
  }, everyMs)
  return {
    add(line) {
      length += JSON.stringify(line).length
      if (length <= mostLength) unsent.push(line)
      else leftOut++
    },
    async end() {
      clearInterval(timer)
      await sending
      if (leftOut === 0) return unsent
      const message = `${leftOut} more lines were logged than are kept`
      return [...unsent, { level: 'warn', message }]
    },
  }
}
