import type { Cancellation } from '../cancellation.ts'
import type { EnginePorts, PreparedCall } from './engine-ports.ts'
import type { Answer, Question } from './host.ts'

/** What asking works with. */
export type QuestionPorts = Pick<
  EnginePorts<PreparedCall>,
  'questions' | 'firstReached' | 'replay' | 'brake' | 'timer'
>

/**
 * Asks an approver once for each question of a run, and resolves with the first answer. A resumed run replays an answer
 * in its turn and continues to wait for an open question. Undefined: it expired, or was withdrawn.
 */
export async function askPerson(
  question: Question,
  cancellation: Cancellation,
  { questions, firstReached, replay, brake, timer }: QuestionPorts,
): Promise<Answer | undefined> {
  brake.stopHere()
  const { path, timeoutMs } = question
  const found = questions.read(path)
  // After a resume with changes the same step can ask something else: an earlier answer does not count.
  const isOther = found !== undefined && found.message !== question.message
  const known = isOther ? undefined : found
  const askedAtMs = isOther ? firstReached.reachedAnew(path) : firstReached.reached(path)
  const endMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : askedAtMs + timeoutMs
  if (known?.status === 'answered' || known?.status === 'expired') {
    await replay.waitForTurn(known.answeredAtMs ?? endMs)
    return known.answer
  }
  await replay.caughtUp()
  brake.stopHere()
  if (isOther) await questions.setAside(path)
  if (known?.status !== 'open') await questions.open(question, askedAtMs)
  // An answer in advance is none for a question whose time was over before it could be given.
  if (questions.read(path)?.status === 'open' && timer.now() < endMs)
    await questions.settled(question, endMs, cancellation)
  if (questions.read(path)?.status === 'open') {
    if (cancellation.reason) await questions.close(path, 'withdrawn')
    else if (endMs <= timer.now()) await questions.close(path, 'expired')
    else brake.stopHere()
  }
  // Another process may have answered before the question was closed.
  return questions.read(path)?.answer
}
