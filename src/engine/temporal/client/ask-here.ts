import type { TimedRunEvent } from '../../../core/events.ts'
import type { AskHere, GivenAnswer } from '../../engine.ts'
import { type AnswerOrder, answerUpdate } from '../messages.ts'
import { type ClientPorts, talkToRun } from './talk-to-run.ts'

/** Asks the person who looks on what their run asks. */
export interface AskingHere {
  take(event: TimedRunEvent): void
  /** Nobody needs to answer any more. */
  end(): void
}

/** Takes the questions of a run from its events, and hands over what the person says. Whoever answers first has answered. */
export function createAskingHere(runId: string, ports: ClientPorts, ask: AskHere): AskingHere {
  const open = new Map<string, AbortController>()
  const settle = (path: string, given?: GivenAnswer): void => {
    open.get(path)?.abort(given)
    open.delete(path)
  }
  const answer = async (path: string, message: string, untilMs: number | undefined): Promise<void> => {
    const over = new AbortController()
    open.set(path, over)
    const timeoutMs = untilMs === undefined ? {} : { timeoutMs: Math.max(untilMs - Date.now(), 0) }
    const given = await ask({ path, message, ...timeoutMs }, over.signal)
    if (!given || over.signal.aborted) return
    const order: AnswerOrder = { step: path, ...given }
    const handle = ports.client.workflow.getHandle(runId)
    await talkToRun(runId, ports, () =>
      handle.executeUpdate<string, [AnswerOrder]>(answerUpdate, { args: [order] }),
    )
  }
  return {
    take(event) {
      if (event.type === 'waiting' && event.reason === 'approval') {
        // Somebody who cannot be asked here, or was too late, is no reason not to go on looking.
        if (!open.has(event.path)) answer(event.path, event.message ?? '', event.until).catch(() => {})
      } else if (event.type === 'answered') settle(event.path, event)
      else if (event.type === 'step_finished') settle(event.path)
    },
    end() {
      for (const path of [...open.keys()]) settle(path)
    },
  }
}
