import { grouped } from '../../core/group.ts'
import type { CallRequest } from '../../core/host/index.ts'
import { canonicalText, type JsonValue } from '../../core/json.ts'
import { type Answer, isSameQuestion, type Question, type QuestionRecord } from '../../core/people/index.ts'
import { actionName, type Plan, stepPathOf } from '../../core/plan/index.ts'
import type { AttemptRecord } from '../../core/record/index.ts'
import { stepPaths } from '../file/call-paths.ts'
import type { ScriptedReply, WorldAnswer } from '../host/scripted-world.ts'
import type { RecordedRun } from './recorded-run.ts'
import type { RecordedWorld, RehearsalWalk } from './walk-run.ts'

/** The world of a run for its own plan: results by path and attempt, answers by path. */
export function ownWorld({ run, attempts }: RecordedRun): RecordedWorld {
  const results = new Map<string, AttemptRecord>()
  for (const attempt of attempts) if (!attempt.is_superseded) results.set(keyOf(attempt), attempt)
  const isCancelled = run.status === 'cancelled'
  return {
    call(request) {
      const attempt = results.get(keyOf(request))
      return attempt && inTime(resultOf(attempt, isCancelled), request)
    },
    people(question) {
      const asked = questionAt(run.questions, question.path)
      return asked && repliesTo(asked, question)
    },
  }
}

/**
 * The world of a run for another plan. A call of it is a recorded one if the action, the arguments, the connection and
 * the file are the same: of the same step, or of one that the plan no longer has. Each recorded call is used once.
 */
export function worldFor(plan: Plan, recorded: RecordedRun, own: RehearsalWalk): RecordedWorld {
  const { run } = recorded
  const steps = new Map([...stepPaths(plan)].map(([path, step]) => [path, actionName(step)]))
  const source = ownWorld(recorded)
  const isGone = (call: CallRequest): boolean => steps.get(stepPathOf(call.path)) !== call.action
  /** The attempts of a recorded call, in their order. */
  const byPath = grouped(own.calls.map(({ request }) => [request.path, request]))
  const byWhat = grouped([...byPath].map(([path, [first]]) => [whatIsCalled(first as CallRequest), path]))
  const claimed = new Set<string>()
  const bound = new Map<string, string>()
  const claim = (request: CallRequest): string | undefined => {
    const free = (byWhat.get(whatIsCalled(request)) ?? []).filter((path) => !claimed.has(path))
    const found =
      free.find((path) => path === request.path) ??
      free.find((path) => stepPathOf(path) === stepPathOf(request.path)) ??
      free.find((path) => byPath.get(path)?.every(isGone))
    if (found !== undefined) claimed.add(found)
    return found
  }
  const askedOf = (question: Question): Question | undefined => {
    const same = own.questions.filter((one) => isSameQuestion(one, question))
    return (
      same.find(({ path }) => path === question.path) ??
      same.find(({ path }) => !steps.has(stepPathOf(path)) || stepPathOf(path) === stepPathOf(question.path))
    )
  }
  return {
    call(request) {
      const path = bound.get(request.path) ?? claim(request)
      if (path === undefined) return undefined
      bound.set(request.path, path)
      const known = byPath.get(path)?.find(({ attempt }) => attempt === request.attempt)
      return known && whatIsCalled(known) === whatIsCalled(request) ? source.call(known) : undefined
    },
    people(question) {
      const asked = askedOf(question)
      const found = asked && questionAt(run.questions, asked.path)
      return found && repliesTo(found, question)
    },
  }
}

/** What makes two calls the same, whatever step makes them. */
export function whatIsCalled({ action, input, connection, saveAs, secrets }: CallRequest): string {
  const parts = [action, input, connection ?? null, saveAs ?? null, secrets ?? null]
  return canonicalText(parts as unknown as JsonValue)
}

function keyOf({ path, attempt }: { readonly path: string; readonly attempt: number }): string {
  return `${path}#${attempt}`
}

/** Of a cancelled run, what has no end was under way to its end; of any other one it is not known. */
function resultOf(attempt: AttemptRecord, isCancelled: boolean): WorldAnswer | undefined {
  const { status, output = {}, error, started_at: from, ended_at: to, waited_ms: waitsMs = 0 } = attempt
  if (status === 'begun' || to === undefined) {
    if (!isCancelled) return undefined
    const result = { status: 'failed', error: { code: 'AttemptTimeout', message: 'no answer' } } as const
    return { result, takesMs: Number.POSITIVE_INFINITY, waitsMs: 0, isRecorded: true }
  }
  const takesMs = Math.max(0, Date.parse(to) - Date.parse(from) - waitsMs)
  const result: WorldAnswer['result'] =
    status === 'failed'
      ? { status, error: error ?? { code: 'InternalError', message: 'no error was recorded' } }
      : { status, output }
  return { result, takesMs, waitsMs, isRecorded: true }
}

/** A result that is recorded came within the limit of its attempt, however long its record says that it took. */
function inTime(
  answer: WorldAnswer | undefined,
  { attemptTimeoutMs = Number.POSITIVE_INFINITY }: CallRequest,
): WorldAnswer | undefined {
  if (answer === undefined || answer.takesMs === Number.POSITIVE_INFINITY) return answer
  return { ...answer, takesMs: Math.min(answer.takesMs, attemptTimeoutMs) }
}

function questionAt(questions: readonly QuestionRecord[], path: string): QuestionRecord | undefined {
  return questions.findLast((question) => question.path === path && !question.is_superseded)
}

/** Undefined: it is waited for longer than it was then, and no answer had come. */
function repliesTo(asked: QuestionRecord, { timeoutMs }: Question): readonly ScriptedReply[] | undefined {
  const askedMs = Date.parse(asked.asked_at)
  const waitedMs = asked.until === undefined ? undefined : Date.parse(asked.until) - askedMs
  if (asked.status === 'expired' && (timeoutMs === undefined || timeoutMs > (waitedMs ?? 0))) return undefined
  let lastMs = askedMs
  return asked.answers.toSorted(byTime).map(({ at, ...given }) => {
    const atMs = Math.max(Date.parse(at), lastMs)
    const afterMs = atMs - lastMs
    lastMs = atMs
    return { given, afterMs }
  })
}

function byTime(one: Answer, other: Answer): number {
  return Date.parse(one.at) - Date.parse(other.at)
}
