import type { Covers } from '../approval/covers.ts'
import type { WaitReason } from '../events.ts'
import { type JsonObject, withoutUndefined } from '../json.ts'
import { answeredEvent } from '../people/answered-event.ts'
import { identityText } from '../people/identity.ts'
import { countOf, neededFor, readReminders } from '../people/index.ts'
import type { Answer, AnswerPolicy, Question } from '../people/question.ts'
import { recordedTime } from '../times/calendar.ts'
import { parseDuration } from '../times/duration.ts'
import { reachedBefore } from './reached-before.ts'
import type { CoreCall } from './run-builtin.ts'
import { cancelledResult, type StepResult } from './step-result.ts'

/** What a kind of question does with its answers. */
export interface Asking {
  settle(answers: readonly Answer[]): StepResult
  /** The code of the failure where the time limit ends without an answer. */
  readonly late: 'ApprovalTimeout' | 'AskTimeout'
  /** What counts then instead. */
  readonly inPlace: Pick<Answer, 'approved' | 'value'> | undefined
}

/** A question by the arguments of its step. */
export function questionOf({ path, input }: Pick<CoreCall, 'path' | 'input'>): Question {
  const timeoutMs = readTimeout(input)
  const from = input['from'] as AnswerPolicy | undefined
  return {
    path,
    message: String(input['message'] ?? ''),
    ...withoutUndefined({ timeoutMs, from }),
    ...readReminders(input),
  }
}

/** Asks, and waits until the question is settled. The time is not working time. */
export async function waitForAnswers(
  { path, input, frame }: Pick<CoreCall, 'path' | 'input' | 'frame'>,
  reason: WaitReason,
  question: Question,
  { settle, late, inPlace }: Asking,
): Promise<StepResult> {
  const { host, cancellation } = frame
  const { message, timeoutMs } = question
  const askedAtMs = await reachedBefore(path, frame)
  const until = timeoutMs === undefined ? {} : { until: askedAtMs + timeoutMs }
  host.report({ type: 'waiting', path, reason, message, ...until, ...countsOf(question.covers) })
  const { isSettled, answers } = await host.ask(question, cancellation)
  if (!isSettled && cancellation.reason) return cancelledResult(frame, path)
  if (!isSettled && !inPlace) {
    const text = `${lateText(question, answers)} within ${String(input['timeout'])}: ${message}`
    return { status: 'failed', attempts: 0, error: { code: late, message: text, path } }
  }
  const taken = isSettled || !inPlace ? answers : [atTimeout(inPlace, askedAtMs + (timeoutMs ?? 0))]
  host.report(answeredEvent(question, taken))
  return settle(taken)
}

function lateText(question: Question, answers: readonly Answer[]): string {
  const needed = neededFor(question)
  return needed === 1 ? 'there was no answer' : `${countOf(answers)} of ${needed} people answered`
}

function atTimeout(inPlace: Pick<Answer, 'approved' | 'value'>, atMs: number): Answer {
  return { ...inPlace, by: { name: 'timeout', source: 'timeout' }, at: recordedTime(atMs) }
}

/** How much a yes covers, for views that show one line. */
function countsOf(covers: Covers | undefined): { readonly calls?: number; readonly not_covered?: number } {
  if (!covers) return {}
  const calls = covers.calls.reduce((sum, { count }) => sum + count, 0)
  return { calls, ...(covers.open.length === 0 ? {} : { not_covered: covers.open.length }) }
}

/** Who gave an answer, as outputs say it. */
export function givenBy({ by, comment, at }: Answer): JsonObject {
  return { by: identityText(by), ...(comment === undefined ? {} : { comment }), at }
}

function readTimeout({ timeout }: JsonObject): number | undefined {
  return typeof timeout === 'string' ? parseDuration(timeout) : undefined
}
