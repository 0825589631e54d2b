import { bareAction } from '../../core/action.ts'
import type { RunEvent } from '../../core/events.ts'
import {
  type Attempted,
  type CallContext,
  type CallRequest,
  createCancellation,
  type Host,
} from '../../core/host/index.ts'
import { isStop } from '../../core/run-error.ts'
import { checkInputs } from '../../load/index.ts'
import { attempt, cancelledAttempt } from './scripted-attempt.ts'
import { listenToWorld } from './scripted-listen.ts'
import { askPeople } from './scripted-people.ts'
import { report, type ScriptedProcess, sleep, stopHere } from './scripted-process.ts'
import type { ScriptedAction, ScriptedWorld } from './scripted-world.ts'
import {
  createReplay,
  createTestJournal,
  firstReached,
  recordAttempt,
  type TestJournal,
} from './test-journal.ts'
import type { VirtualClock } from './virtual-clock.ts'

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
  const [calls, events]: [CallRequest[], RunEvent[]] = [[], []]
  const cancellation = createCancellation()
  const abandonment = createCancellation()
  const interruption = createCancellation()
  const replay = createReplay(journal, clock.whenIdle)
  const process: ScriptedProcess = {
    world,
    actions: new Map(world.actions.map((action) => [action.name, action])),
    clock,
    journal,
    onRecorded,
    replay,
    calls,
    events,
    interruption,
    seen: new WeakMap(),
  }
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
      stopHere(process)
      const known = await replay.attempted(request)
      stopHere(process)
      if (!known) return makeCall(process, request, context)
      const { path, attempt: number } = request
      if (known.status === 'succeeded' && !context.listening)
        report(process, { type: 'attempt_succeeded', path, attempt: number, from_journal: true })
      return known
    },
    async sleepUntil(timeMs, _pause, whatEnds) {
      stopHere(process)
      await sleep(process, timeMs, [whatEnds, interruption])
      stopHere(process)
    },
    async ask(question, whatEnds) {
      stopHere(process)
      const known = await replay.answered(question.path)
      return known ? { isSettled: true, answers: known } : askPeople(question, whatEnds, process)
    },
    async firstReachedAt(path) {
      stopHere(process)
      return firstReached(journal, path, clock.now())
    },
    ...remembering(journal),
    checkInputs,
    now: clock.now,
    report: (event) => report(process, event),
    cancellation,
    abandonment,
  }
}

/** Makes an attempt that the journal does not hold, and records it unless it was given up. */
async function makeCall(
  process: ScriptedProcess,
  request: CallRequest,
  context: CallContext,
): Promise<Attempted> {
  const { clock, journal, calls } = process
  const { path, attempt: number } = request
  const { listening } = context
  const action = listening ? listenAction : process.actions.get(request.action)
  if (!action) throw new Error(`no action ${request.action}`)
  if (context.cancellation.reason)
    return { ...cancelledAttempt({ notSent: true }), startedAtMs: clock.now(), endedAtMs: clock.now() }
  if (!listening && calls.push(request) > mostCalls)
    throw new Error(`the run makes more than ${mostCalls} calls`)
  if (!listening) report(process, { type: 'attempt_started', path, attempt: number, action: request.action })
  const attempted = listening
    ? await listenToWorld(request, context, listening, process)
    : await attempt(action, request, context, process)
  if (attempted.status === 'failed' && isStop(attempted.error.code)) {
    stopHere(process)
    return attempted
  }
  recordAttempt(journal, request, attempted)
  if (attempted.status === 'succeeded' && !listening)
    report(process, { type: 'attempt_succeeded', path, attempt: number })
  process.onRecorded(journal.outcomes.size)
  return attempted
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
const listenAction: ScriptedAction = bareAction('core/listen', 'read')
