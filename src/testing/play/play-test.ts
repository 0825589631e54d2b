import { isForPerson, type RunEvent } from '../../core/events.ts'
import { callbackHook } from '../../core/hooks/index.ts'
import type { CallRequest } from '../../core/host/index.ts'
import { type JsonObject, withoutUndefined } from '../../core/json.ts'
import type { Question } from '../../core/people/index.ts'
import { withoutPositions } from '../../core/plan/index.ts'
import { argumentProblems } from '../../core/preview/index.ts'
import { parseDuration } from '../../core/times/index.ts'
import { checkInputs } from '../../load/index.ts'
import { givenInputs, type LoadedTests } from '../file/load-test-file.ts'
import type { AnswerScript, EventScript, Setting, TestCase } from '../file/test-file.ts'
import { type PlayedRun, type PlayOptions, playRun, usualStartMs } from '../host/play-run.ts'
import type { HookEvent, ScriptedReply, ScriptedWorld } from '../host/scripted-world.ts'
import { testFacts, testRunId } from '../host/test-facts.ts'
import { createVirtualClock, NothingHappens } from '../host/virtual-clock.ts'
import { answerLive, type LiveWorld, type WorldDifference } from './live-world.ts'
import { createScriptedCalls, type ScriptedCalls } from './scripted-calls.ts'

/** A test as it was played: refused before the first call, stuck in a wait that no script ends, or run. */
export type PlayedTest =
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  | (PlayedScripts & { readonly kind: 'stuck'; readonly waits: readonly EndlessWait[] })
  | (PlayedScripts & { readonly kind: 'run'; readonly run: PlayedRun })

interface PlayedScripts {
  readonly calls: ScriptedCalls
  /** The questions that only answers reached which do not count: one for each entry under `answers`, by its name. */
  readonly refusals: ReadonlyMap<string, RefusedAnswer>
}

/** A scripted answer that does not count. */
export interface RefusedAnswer {
  readonly question: Question
  readonly message: string
}

/** A wait without an end. */
export interface EndlessWait extends Pick<RunEvent & { type: 'waiting' }, 'path' | 'reason'> {
  /** What a person is asked. Left out: it waits for an event. */
  readonly question?: Question
}

/** Whether it waits for something that a script says. */
function isEndless({ reason, until }: RunEvent & { type: 'waiting' }): boolean {
  return until === undefined && (isForPerson(reason) || reason === 'event')
}

/** What a fault, or a live world, changes in a test. */
export interface PlayTestOptions extends Pick<PlayOptions, 'journal' | 'clock' | 'stop' | 'cancel'> {
  /** The calls of an earlier process of the run. */
  readonly calls?: ScriptedCalls
  /** Takes the place of the result of an attempt. */
  readonly disturb?: (
    request: CallRequest,
    otherwise: ScriptedWorld['answer'],
  ) => ReturnType<ScriptedWorld['answer']>
  /** Answers some of the calls in place of their scripts. */
  readonly live?: LiveWorld
  /** Receives each answer of the live world that differs from its script. */
  readonly onDifference?: (difference: WorldDifference) => void
}

/** Plays one test of a file in virtual time. Nothing is sent. */
export async function playTest(
  tests: LoadedTests,
  test: TestCase,
  options: PlayTestOptions = {},
): Promise<PlayedTest> {
  const { plan, document } = tests
  const { inputs, problems } = checkStart(tests, test)
  if (problems.length > 0) return { kind: 'refused', problems }
  const setting = settingOf(document.defaults, test)
  const { disturb, live, onDifference = () => {} } = options
  const calls = options.calls ?? createScriptedCalls(setting.calls ?? {}, tests)
  const waits = new Map<string, EndlessWait>()
  const questions = new Map<string, Question>()
  const refusals = new Map<string, RefusedAnswer>()
  const startMs = setting.start === undefined ? usualStartMs : Date.parse(setting.start)
  const clock = options.clock ?? createVirtualClock(startMs)
  const scriptOf = (path: string): string =>
    Object.hasOwn(setting.answers ?? {}, path) ? path : withoutPositions(path)
  const answer = live ? answerLive(live, calls, clock, onDifference) : calls.answer
  const world: ScriptedWorld = {
    actions: tests.actions,
    answer: disturb ? (request) => disturb(request, answer) : answer,
    people(path, question) {
      questions.set(path, question)
      const replies = setting.answers?.[scriptOf(path)]
      return (replies === undefined ? [] : [replies].flat()).map((reply) => toReply(reply as AnswerScript))
    },
    startedBy: { name: 'the starter', source: 'system-user', user: 'starter' },
    events: (setting.events ?? []).map((event, index) => toEvent(event, index, startMs)),
    onRefused(path, message) {
      const question = questions.get(path)
      if (question) refusals.set(scriptOf(path), { question, message })
    },
    onEvent(event) {
      if (event.type === 'waiting' && isEndless(event)) waits.set(event.path, event)
      else if ('path' in event) waits.delete(event.path)
    },
  }
  try {
    const run = await playRun(plan, inputs, world, {
      ...options,
      clock,
      cancel: options.cancel ?? cancelOf(test),
      startMs,
      facts: testFacts(plan),
    })
    return { kind: 'run', run, calls, refusals }
  } catch (error) {
    if (!(error instanceof NothingHappens)) throw error
    const stuck = [...waits.values()].map(({ path, reason }): EndlessWait => {
      const question = questions.get(path)
      return { path, reason, ...(question ? { question } : {}) }
    })
    return { kind: 'stuck', waits: stuck, calls, refusals }
  }
}

/** What a test and the defaults of its file give together. */
function settingOf(defaults: Setting = {}, test: TestCase): Setting {
  const start = test.start ?? defaults.start
  return {
    inputs: { ...defaults.inputs, ...test.inputs } as JsonObject,
    calls: { ...defaults.calls, ...test.calls },
    answers: { ...defaults.answers, ...test.answers },
    events: [...(defaults.events ?? []), ...(test.events ?? [])],
    ...(start === undefined ? {} : { start }),
  }
}

interface CheckedStart {
  readonly inputs: JsonObject
  readonly problems: readonly string[]
}

/** The starts of the tests of a file, by the inputs that are given. */
const startsOf = new WeakMap<LoadedTests, Map<string, CheckedStart>>()

/** What a start with these inputs is refused for, before the first call. Most tests of a file have the same inputs. */
function checkStart(tests: LoadedTests, test: TestCase): CheckedStart {
  const { plan, actions, document } = tests
  const starts = startsOf.get(tests) ?? new Map<string, CheckedStart>()
  startsOf.set(tests, starts)
  const given = givenInputs(document, test)
  const key = JSON.stringify(given)
  const known = starts.get(key)
  if (known) return known
  const { inputs, problems } = checkInputs(plan, given)
  const wrong = problems.length > 0 ? problems : argumentProblems({ plan, inputs, actions, checkInputs })
  const made = { inputs, problems: wrong.map(({ path, message }) => `${path}: ${message}`) }
  starts.set(key, made)
  return made
}

function cancelOf({ cancel }: TestCase): readonly (number | string)[] {
  if (cancel === undefined) return []
  return [parseDuration(cancel) ?? cancel]
}

function toReply({
  approved = true,
  value,
  by = 'someone',
  after = '1s',
  ...more
}: AnswerScript): ScriptedReply {
  const { comment, groups, verified = false } = more
  return {
    afterMs: parseDuration(after) ?? 0,
    given: {
      approved,
      ...(value === undefined ? {} : { value }),
      by: { name: by, source: 'system-user', user: by, ...(verified ? { verified } : {}) },
      ...withoutUndefined({ groups, comment }),
    },
  }
}

function toEvent(
  { hook = '', callback, after, id, body }: EventScript,
  index: number,
  startMs: number,
): HookEvent {
  return {
    hook: callback === undefined ? hook : callbackHook(testRunId, callback),
    id: id ?? `event_${index + 1}`,
    receivedAtMs: startMs + (parseDuration(after) ?? 0),
    ...(body === undefined ? {} : { body }),
  }
}
