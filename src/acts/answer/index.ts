/** Answers to questions of a run: `approve`, `reject` and `answer`. */
import type { JsonValue } from '../../core/json.ts'
import type { QuestionRecord } from '../../core/people/index.ts'
import { groupQuestions, type NamedQuestions, type Question } from '../../core/people/index.ts'
import type { RunState } from '../../core/record/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { Answered } from '../../documents/index.ts'
import type { OpenProject } from '../../project/index.ts'
import { loadKnownActions } from '../../project/records/index.ts'
import { Outdated } from '../outdated.ts'
import type { Who } from '../read-who.ts'
import { readNamedRun, readWaitingOf } from '../reads/inbox/index.ts'

/** An answer to the questions that were shown. */
export interface AnswerAct extends Who, NamedQuestions {
  readonly approved: boolean
  /** Reads the value by the question that was shown. Undefined: it is not open any more, or has changed. */
  readonly value?: (asked: Question | undefined) => JsonValue | undefined
  /** The groups of the person by the login. */
  readonly groups?: readonly string[]
}

/**
 * Answers all questions that `shown` names, or none. Throws `Outdated` where they have changed or were answered since,
 * with what waits for a person in the run now.
 */
export async function answerQuestions(
  { run_id, status, questions }: RunState,
  { step, shown, value: read, ...said }: AnswerAct,
  project: OpenProject,
): Promise<Answered> {
  try {
    const value = read?.(findShown(questions, shown))
    const answer = { ...said, ...(value === undefined ? {} : { value }) }
    const answers = await project.engine.answerQuestion(run_id, { step, shown }, answer)
    return { run_id, status, answers }
  } catch (error) {
    if (shown === undefined || !RunbookError.is(error) || error.code !== 'InvalidInput') throw error
    throw await refusal(error, run_id, shown, project)
  }
}

/** The first of the questions that were shown. Undefined: they are not open any more, or have changed. */
function findShown(
  questions: readonly QuestionRecord[],
  shown: string | undefined,
): QuestionRecord | undefined {
  return groupQuestions(questions)
    .flatMap((group) => [group, ...group.questions.map((one) => ({ shown: one.shown, questions: [one] }))])
    .find((group) => group.shown === shown)?.questions[0]
}

/** Why an answer did not count: another answer is needed, or what was shown is not what is asked now. */
async function refusal(
  { code, message, next = '' }: RunbookError,
  runId: string,
  shown: string,
  { io, engine, flags }: OpenProject,
): Promise<RunbookError> {
  const { questions = [] } = (await engine.readRunState(runId)) ?? {}
  const { mask } = await readNamedRun(runId, [], engine)
  const refused = new RunbookError(code, mask.text(message), { notSent: true, next })
  if (findShown(questions, shown) !== undefined) return refused
  return new Outdated(refused, await readWaitingOf(runId, engine, flags, () => loadKnownActions(io)))
}
