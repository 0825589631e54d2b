import { callChanges, staleMessage } from '../approval/call-changes.ts'
import { isSameJson, type JsonValue } from '../json.ts'
import type { AskedQuestion, Question } from '../people/question.ts'
import { isSameQuestion } from '../people/same-question.ts'
import { shownWord } from '../people/shown-questions.ts'
import { peopleOfPolicy } from '../people/vouch.ts'
import type { Cancellation } from './cancellation.ts'
import type { EnginePorts, PreparedCall, RecordedQuestion } from './engine-ports.ts'
import type { Asked } from './host.ts'

/** What asking works with. */
export type QuestionPorts = Pick<
  EnginePorts<PreparedCall>,
  'questions' | 'firstReached' | 'replay' | 'brake' | 'timer' | 'report'
>

/**
 * Asks once for each question of a run, and resolves with its answers once it is settled, expired or withdrawn. A
 * resumed run replays them in their order and continues to wait for an open question.
 */
export async function askPerson(
  question: Question,
  cancellation: Cancellation,
  { questions, firstReached, replay, brake, timer, report }: QuestionPorts,
): Promise<Asked> {
  brake.stopHere()
  const { path, timeoutMs } = question
  const found = questions.read(path)
  // After a resume with changes the same step can ask something else: an earlier answer does not count.
  const isOther = found !== undefined && (!isSameQuestion(found, question) || isLeftOut(found))
  const known = isOther ? undefined : found
  const askedAtMs = isOther ? firstReached.reachedAnew(path) : firstReached.reached(path)
  const endMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : askedAtMs + timeoutMs
  if (known?.status === 'answered' || known?.status === 'expired') {
    await replay.waitForReplay(known.answeredAtMs ?? endMs)
    return answersOf(known)
  }
  await replay.caughtUp()
  brake.stopHere()
  if (isOther) await questions.setAside(path)
  const { from } = question
  const people = from && { people: peopleOfPolicy(from, await questions.people()) }
  const asked = {
    ...(known?.status === 'open'
      ? asRecorded(question, known)
      : asShown(isOther ? withChanges(question, found, report) : question)),
    ...people,
  }
  if (known?.status !== 'open' || !hasSamePeople(known, asked)) await questions.open(asked, askedAtMs)
  // An answer in advance is none for a question whose time was over before it could be given.
  if (questions.read(path)?.status === 'open' && timer.now() < endMs)
    await questions.settled(asked, endMs, cancellation)
  if (questions.read(path)?.status === 'open') {
    if (cancellation.reason) await questions.close(path, 'withdrawn')
    else if (endMs <= timer.now()) await questions.close(path, 'expired')
    else brake.stopHere()
  }
  // Another process may have answered before the question was closed.
  return answersOf(questions.read(path))
}

/** The record no longer has the values of the answer. */
function isLeftOut({ answers }: RecordedQuestion): boolean {
  return answers.some((one) => one.is_value_left_out)
}

/** An open question of an earlier process is decided by the people of the one that asks now. */
function hasSamePeople(one: Pick<AskedQuestion, 'people'>, other: Pick<AskedQuestion, 'people'>): boolean {
  return isSameJson((one.people ?? null) as JsonValue, (other.people ?? null) as JsonValue)
}

function asShown(question: Question): AskedQuestion {
  return { ...question, shown: shownWord(question) }
}

/** An open question of an earlier process stands as people see it. */
function asRecorded(question: Question, { shown, covers }: RecordedQuestion): AskedQuestion {
  return { ...question, shown, ...(covers === undefined ? {} : { covers }) }
}

/** Says what differs from the calls of an earlier yes: it does not hold for these. */
function withChanges(
  question: Question,
  { covers: approved, answers }: RecordedQuestion,
  report: QuestionPorts['report'],
): Question {
  const { path, covers } = question
  if (!covers || !approved || !answers.at(-1)?.approved || covers.seal === approved.seal) return question
  const changes = callChanges(approved.calls, covers.calls)
  if (changes.length === 0) return question
  report({ type: 'logged', path, level: 'warn', message: staleMessage(changes) })
  return { ...question, covers: { ...covers, again: { question: path, changes } } }
}

function answersOf(question: RecordedQuestion | undefined): Asked {
  return { isSettled: question?.status === 'answered', answers: question?.answers ?? [] }
}
