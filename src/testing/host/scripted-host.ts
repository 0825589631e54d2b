import type { Identity, RunEvent } from '../../core/events.ts'
import {
  type Attempted,
  type CallContext,
  type CallRequest,
  type Cancellation,
  createCancellation,
  type Host,
  type Listening,
  waitForEvent,
} from '../../core/host/index.ts'
import { type Answer, decideAnswer, type GivenAnswer, type Question } from '../../core/people/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { checkInputs } from '../../load/index.ts'
import { attempt, cancelledAttempt, type ScriptedAction, type WorldAnswer } from './scripted-attempt.ts'
import { createScriptedInbox, type HookEvent } from './scripted-inbox.ts'
import {
  createReplay,
  createTestJournal,
  firstReached,
  recordAnswers,
  recordAttempt,
  type TestJournal,
} from './test-journal.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** One answer to a question. */
export interface ScriptedReply {
  readonly given: GivenAnswer
  /** After the question, or after the answer before it, in milliseconds. */
  readonly afterMs: number
}

/** What a scripted host has instead of the world. */
export interface ScriptedWorld {
  readonly actions: readonly ScriptedAction[]
  /** The result of an attempt. What it throws ends the run; a promise that never settles leaves the call open. */
  answer(request: CallRequest): WorldAnswer | Promise<WorldAnswer>
  /** The answers to the question of a step, in their order. A promise that never settles leaves the question open. */
  readonly people?: (
    path: string,
    question: Question,
  ) => readonly ScriptedReply[] | Promise<readonly ScriptedReply[]>
  /** The result of a wait for an event, in place of `events`. A promise that never settles leaves the wait open. */
  readonly listen?: (request: CallRequest) => Promise<Pick<WorldAnswer, 'result' | 'takesMs'>>
  readonly startedBy?: Identity
  /** The events that come to hooks, the earliest first. */
  readonly events?: readonly HookEvent[]
  /** Receives each event of the run. */
  readonly onEvent?: (event: RunEvent) => void
  /** Told when a request goes out. */
  readonly onSent?: (request: CallRequest) => void
  /** Receives why the last answer that does not count is refused, where no answer settles the question of a step. */
  readonly onRefused?: (path: string, message: string) => void
}

/** A host whose world is a script and whose time is virtual. It opens no connection. */
export interface ScriptedHost extends Host {
  /** The attempts that were made; what the journal answered is not among them. */
  readonly calls: readonly CallRequest[]
  readonly events: readonly RunEvent[]
  /** Attempts that were asked for twice, or with other arguments than before the process stopped. */
  readonly contradictions: readonly string[]
  /** Cancels the run; the second time its clean-up, too. */
  cancel(): void
  /** Stops the process: what is on its way is abandoned, or awaited where it changes something. */
  interrupt(): void
}

/** More than any test means to make. */
const mostCalls = 50_000

/** Creates a host; `onRecorded` receives how many outcomes the journal holds. */
export function createScriptedHost(
  world: ScriptedWorld,
  clock: VirtualClock,
  journal: TestJournal = createTestJournal(),
  onRecorded: (count: number) => void = () => {},
): ScriptedHost {
  const calls: CallRequest[] = []
  const events: RunEvent[] = []
  const cancellation = createCancellation()
  const abandonment = createCancellation()
  const interruption = createCancellation()
  const actions = new Map(world.actions.map((action) => [action.name, action]))
  const replay = createReplay(journal, clock.whenIdle)

  const stopHere = (): void => {
    if (interruption.reason) throw new RunbookError('Interrupted', 'asked to stop')
  }
  const report = (event: RunEvent): void => {
    events.push(event)
    world.onEvent?.(event)
    if (event.type !== 'run_finished' || !journal.memory) return
    const { warnings, warnings_left_out } = event
    journal.memory.warnings = {
      ...(warnings && { warnings }),
      ...(warnings_left_out && { warnings_left_out }),
    }
  }
  const sleep = async (timeMs: number, enders: readonly Cancellation[]): Promise<void> => {
    const { ended, wake } = clock.sleepUntil(timeMs)
    const leave = enders.map((ender) => ender.onCancel(wake))
    await ended
    for (const off of leave) off()
  }
  const { answer, onSent, events: coming = [] } = world
  const inbox = createScriptedInbox(coming, journal, clock, (timeMs, stop) =>
    sleep(timeMs, [stop, interruption]),
  )
  const listen = async (
    request: CallRequest,
    context: CallContext,
    listening: Listening,
  ): Promise<Attempted> => {
    const startedAtMs = clock.now()
    if (world.listen) {
      context.onWaiting(true)
      const { result, takesMs } = await world.listen(request)
      const untilMs = startedAtMs + takesMs
      await sleep(untilMs, [context.cancellation, interruption])
      const came = clock.now() < untilMs ? cancelledAttempt({ notSent: true }) : result
      return { ...came, startedAtMs, endedAtMs: clock.now(), waitedMs: clock.now() - startedAtMs }
    }
    const brake = { isStopping: () => interruption.reason !== undefined, stopHere, check: stopHere }
    const timer = { now: clock.now, until: () => Promise.resolve() }
    const call = { request, safety: 'read', action: undefined } as const
    const made = await waitForEvent(call, context, listening, { inbox, brake, timer, report })
    return { ...made.result, startedAtMs, endedAtMs: clock.now(), waitedMs: made.waitedMs }
  }
  const ports = { answer, onSent, now: clock.now, sleep, interruption, artifacts: journal.artifacts, report }

  return {
    calls,
    events,
    contradictions: replay.contradictions,
    cancel() {
      const controlRequest = cancellation.reason ? abandonment : cancellation
      controlRequest.cancel({ code: 'Cancelled', message: 'the user cancelled the run' })
    },
    interrupt: () => interruption.cancel({ code: 'Interrupted', message: 'asked to stop' }),
    async call(request, context) {
      stopHere()
      const { path, attempt: number } = request
      const known = await replay.attempted(request)
      stopHere()
      if (known) {
        if (known.status === 'succeeded' && !context.listening) {
          report({ type: 'attempt_succeeded', path, attempt: number, from_journal: true })
        }
        return known
      }
      const { listening } = context
      const action = listening ? listenAction : actions.get(request.action)
      if (!action) throw new Error(`no action ${request.action}`)
      if (context.cancellation.reason) {
        return { ...cancelledAttempt({ notSent: true }), startedAtMs: clock.now(), endedAtMs: clock.now() }
      }
      if (!listening && calls.push(request) > mostCalls)
        throw new Error(`the run makes more than ${mostCalls} calls`)
      if (!listening) report({ type: 'attempt_started', path, attempt: number, action: request.action })
      const attempted = listening
        ? await listen(request, context, listening)
        : await attempt(action, request, context, ports)
      if (attempted.status === 'failed' && isGivenUp(attempted.error.code)) {
        stopHere()
        return attempted
      }
      recordAttempt(journal, request, attempted)
      if (attempted.status === 'succeeded' && !listening)
        report({ type: 'attempt_succeeded', path, attempt: number })
      onRecorded(journal.outcomes.size)
      return attempted
    },
    async sleepUntil(timeMs, _pause, whatEnds) {
      stopHere()
      await sleep(timeMs, [whatEnds, interruption])
      stopHere()
    },
    async ask(question, whatEnds) {
      const { path, timeoutMs = Number.POSITIVE_INFINITY } = question
      stopHere()
      const known = await replay.answered(path)
      if (known) return { isSettled: true, answers: known }
      const askedMs = firstReached(journal, `asked ${path}`, clock.now())
      const untilMs = askedMs + timeoutMs
      const { startedBy } = world
      let nowMs = askedMs
      let answers: readonly Answer[] = []
      let refusal: string | undefined
      const coming = world.people?.(path, question) ?? []
      for (const { given, afterMs } of coming instanceof Promise ? await coming : coming) {
        nowMs += afterMs
        await sleep(Math.min(nowMs, untilMs), [whatEnds, interruption])
        stopHere()
        if (clock.now() < nowMs || nowMs >= untilMs) break
        const starters = startedBy ? [startedBy] : []
        const decision = decideAnswer({ question, answers, starters, untilMs, nowMs, given })
        if (decision.kind === 'refused') {
          refusal = decision.message
          continue
        }
        answers = decision.answers
        if (decision.kind === 'counted') continue
        recordAnswers(journal, path, answers)
        onRecorded(journal.outcomes.size)
        return { isSettled: true, answers }
      }
      if (refusal !== undefined) world.onRefused?.(path, refusal)
      await sleep(untilMs, [whatEnds, interruption])
      stopHere()
      return { isSettled: false, answers }
    },
    async firstReachedAt(path) {
      stopHere()
      return firstReached(journal, path, clock.now())
    },
    ...remembering(journal),
    checkInputs,
    now: clock.now,
    report,
    cancellation,
    abandonment,
  }
}

/** As it was when the process began: what ends in this one is for the next. */
function remembering({ memory }: TestJournal): Pick<Host, 'results' | 'workingTimes'> {
  const countsFrom = () => undefined
  if (!memory) return { workingTimes: { countsFrom, workedBefore: () => undefined, keep() {} } }
  const results = new Map(memory.results)
  const worked = new Map(memory.worked)
  return {
    results: {
      warnings: memory.warnings,
      recall: (path) => results.get(path),
      begin: (path) => void memory.results.set(path, 'begun'),
      remember: (path, result) => void memory.results.set(path, JSON.parse(JSON.stringify(result))),
    },
    workingTimes: {
      countsFrom,
      workedBefore: (path) => worked.get(path),
      keep: (path, workedMs) => void memory.worked.set(path, workedMs),
    },
  }
}

/** The step waits for an event, and nothing is sent. */
const listenAction: ScriptedAction = {
  name: 'core/listen',
  summary: '',
  safety: 'read',
  input: {},
  output: {},
  defaultTimeoutMs: 0,
}

function isGivenUp(code: string): boolean {
  return code === 'Cancelled' || code === 'Interrupted'
}
