import { setTimeout as sleep } from 'node:timers/promises'
import { errorRules } from '../../../core/errors.ts'
import { isForPerson, type TimedRunEvent } from '../../../core/events.ts'
import {
  type AnswerDecision,
  type GivenAnswer,
  isCountedOnly,
  type QuestionRecord,
} from '../../../core/people/index.ts'
import { changedBy, type RunState, startersOf, waitingText } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { artifactsFolder } from '../../attempt/index.ts'
import { type AskHere, createRetryDeadline } from '../../index.ts'
import {
  createEventStream,
  type RunHandle,
  type RunReport,
  reportOf,
  systemIdentity,
} from '../../record/index.ts'
import type { AnswerOrder } from '../messages.ts'
import { type ClientPorts, noRun } from './client-ports.ts'
import { sendControlRequest } from './control-run.ts'
import { followEvents } from './follow-events.ts'
import { readRunState, withOutcome } from './read-run.ts'
import { answerRun } from './talk-to-run.ts'

/** What a run on Temporal is followed with. */
export interface FollowRunOptions extends ClientPorts {
  /** The directory that the workers share. */
  readonly dataDir: string
  /** Receives each event as it happens. What it throws is ignored. */
  readonly onEvent?: (event: TimedRunEvent) => void
  /** Asks the person at this terminal. Others can answer from elsewhere. */
  readonly onQuestion?: AskHere
  /** Receives what keeps the run from continuing, such as a lack of workers. */
  readonly say?: (text: string) => void
  /** Only events after this one are emitted. */
  readonly afterSeq?: number
}

/** A run that was started or joined. It continues without its client. */
export interface StartedRun {
  readonly runId: string
  readonly isJoined: boolean
}

/** Follows a run to its end. To stop following stops nothing. */
export function followRun({ runId, isJoined }: StartedRun, options: FollowRunOptions): RunHandle {
  const { dataDir, onEvent, onQuestion, say, afterSeq } = options
  const stream = createEventStream(onEvent)
  const left = new AbortController()
  let asking: AskingHere | undefined
  let look: NodeJS.Timeout | undefined
  const run = async (): Promise<RunReport> => {
    await new Promise((resolve) => setImmediate(resolve))
    asking = onQuestion && createAskingHere(runId, options, onQuestion)
    look = setTimeout(() => void sayPlaceInLine(runId, options), placeAfterMs)
    for await (const { event } of followEvents(options, runId, {
      signal: left.signal,
      ...(afterSeq === undefined ? {} : { afterSeq }),
      ...(say === undefined ? {} : { say }),
    })) {
      clearTimeout(look)
      stream.push(event)
      asking?.take(event)
    }
    const retrying = createRetryDeadline(say ?? (() => {}))
    for (; !left.signal.aborted; await sleep(lookAgainMs)) {
      const report = await retrying(() => readReport(runId, dataDir, options))
      if (report) return report
    }
    throw new RunbookError('Interrupted', `${runId} continues on its workers`, { notSent: true })
  }
  const result = run()
    .catch((thrown) => {
      throw unreadableHere(thrown, runId)
    })
    .finally(() => {
      clearTimeout(look)
      asking?.end(left.signal.aborted ? 'open' : undefined)
      stream.end()
    })
  // A caller that detaches never awaits the result; any other caller receives the error.
  result.catch(() => {})
  return {
    runId,
    isJoined,
    events: stream,
    result,
    // Others wait for a joined one.
    cancel: () => {
      if (isJoined) return left.abort()
      void sendControlRequest(runId, options, { kind: 'cancel', by: systemIdentity() }).catch(() => {})
    },
    interrupt: () => left.abort(),
  }
}

/** A run without an event after this time may wait in line. */
const placeAfterMs = 1500

async function sayPlaceInLine(runId: string, { say, ...ports }: FollowRunOptions): Promise<void> {
  if (!say) return
  const state = await readRunState(runId, ports).catch(() => undefined)
  if (state?.place_in_line) say(waitingText(state.place_in_line))
}

/** Adds to the error which run continues. */
function unreadableHere(thrown: unknown, runId: string): unknown {
  if (!RunbookError.is(thrown) || thrown.code !== 'PayloadUnreadable') return thrown
  const message = `${runId} is started, and the answers of its workers cannot be read here: ${thrown.message}`
  const { next } = errorRules.PayloadUnreadable
  return new RunbookError('PayloadUnreadable', message, {
    cause: thrown,
    details: { run_id: runId },
    next: `${next} Then follow the run: "opsbook watch ${runId}". "opsbook run" would start another one.`,
  })
}

const lookAgainMs = 50

/** Undefined: the server has not closed the workflow yet, which happens after the last event of the run. */
async function readReport(
  runId: string,
  dataDir: string,
  ports: ClientPorts,
): Promise<RunReport | undefined> {
  const runState = await readRunState(runId, ports)
  if (!runState) throw noRun(runId, ports)
  const ended = await withOutcome(runState, ports)
  return reportOf({ ...ended, artifacts_dir: artifactsFolder(dataDir, runId) })
}

/** Asks the person who follows the run what it asks. */
export interface AskingHere {
  take(event: TimedRunEvent): void
  /** Ends asking here. `open`: the questions stay open. */
  end(why: 'open' | undefined): void
}

/** Takes the questions of a run from its events, and sends the answers. The first answer counts. */
function createAskingHere(runId: string, ports: ClientPorts, ask: AskHere): AskingHere {
  const open = new Map<string, AbortController>()
  const settle = (path: string, why?: GivenAnswer | 'open'): void => {
    open.get(path)?.abort(why)
    open.delete(path)
  }
  const send = async (order: AnswerOrder): Promise<AnswerDecision> => {
    try {
      const [recorded] = await answerRun(runId, ports, order)
      const answers = (await readQuestion(order.step))?.record.answers ?? []
      return { kind: recorded?.kind ?? 'settled', answers }
    } catch (error) {
      if (RunbookError.is(error) && error.code === 'InvalidInput')
        return { kind: 'refused', message: error.message }
      throw error
    }
  }
  const readQuestion = async (
    path: string,
  ): Promise<{ readonly record: QuestionRecord; readonly state: RunState } | undefined> => {
    const state = await readRunState(runId, ports)
    const record = state?.questions.find((one) => one.path === path && !one.is_superseded)
    return state && record && { record, state }
  }
  const answer = async (path: string, untilMs: number | undefined): Promise<void> => {
    const over = new AbortController()
    open.set(path, over)
    let last: AnswerDecision | undefined
    do {
      // Read each time: what is asked may have changed, and only what was shown is answered.
      const found = await readQuestion(path)
      if (found?.record.status !== 'open') return
      const { started_by: startedBy, started_from } = found.state
      // Who triggered a schedule by hand is known to the run, which decides.
      const starters = [...startersOf(startedBy, started_from), ...changedBy(found.state)]
      const { asked_at, until, status, answers, is_superseded, ...asked } = found.record
      const timeoutMs = untilMs === undefined ? {} : { timeoutMs: Math.max(untilMs - Date.now(), 0) }
      const given = await ask({ ...asked, ...timeoutMs, starters }, over.signal, last)
      if (!given || over.signal.aborted) return
      last = await send({ step: path, shown: asked.shown, ...given })
    } while (last.kind !== 'settled' && !over.signal.aborted)
  }
  return {
    take(event) {
      if (event.type === 'waiting' && isForPerson(event.reason)) {
        // Without an answer from here, the run is still followed: another person may answer.
        if (!open.has(event.path)) answer(event.path, event.until).catch(() => {})
      } else if (event.type === 'answered' && !isCountedOnly(event)) settle(event.path, event)
      else if (event.type === 'step_finished') settle(event.path)
    },
    end(why) {
      for (const path of [...open.keys()]) settle(path, why)
    },
  }
}
