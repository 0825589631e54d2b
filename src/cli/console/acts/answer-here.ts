import { type AnswerHere, ConsoleError, type Login } from '../../../console/server/index.ts'
import type { QuestionRecord } from '../../../core/people/index.ts'
import { groupQuestions } from '../../../core/people/index.ts'
import type { RunState } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { Answered } from '../../../documents/index.ts'
import type { Engine } from '../../../engine/index.ts'
import type { EngineFlags } from '../../../project/index.ts'
import { loadKnownActions } from '../../../project/records/index.ts'
import { readWaitingOf } from '../../inbox/index.ts'
import { readNamedRun } from '../../inbox/named-run.ts'
import type { CommandContext } from '../../shared/context.ts'
import { readWho } from '../../shared/read-who.ts'
import { readAnswerFields } from './read-answer-fields.ts'

interface Surroundings {
  readonly context: CommandContext
  readonly engine: Engine
  readonly flags: EngineFlags
}

/** Answers the questions that were on the screen, all of them or none. */
export async function answerHere(
  run: RunState,
  { step, shown, approved, value, fields, comment }: AnswerHere,
  { by, groups }: Pick<Login, 'by' | 'groups'>,
  surroundings: Surroundings,
): Promise<Answered> {
  const { run_id, questions } = run
  const { by: _, ...said } = readWho(comment === undefined ? {} : { comment })
  try {
    const asked = findShown(questions, shown)
    const given = fields === undefined || asked === undefined ? value : readAnswerFields(asked, fields)
    const answer = {
      approved,
      ...(given === undefined ? {} : { value: given }),
      by,
      ...(groups === undefined ? {} : { groups }),
      ...said,
    }
    const answers = await surroundings.engine.answerQuestion(run_id, { step, shown }, answer)
    return { run_id, status: run.status, answers }
  } catch (error) {
    if (!RunbookError.is(error) || error.code !== 'InvalidInput') throw error
    throw await refusal(error, run_id, shown, surroundings)
  }
}

/** The first of the questions that were shown. Undefined: they are not open any more, or have changed. */
function findShown(questions: readonly QuestionRecord[], shown: string): QuestionRecord | undefined {
  return groupQuestions(questions)
    .flatMap((group) => [group, ...group.questions.map((one) => ({ shown: one.shown, questions: [one] }))])
    .find((group) => group.shown === shown)?.questions[0]
}

/** Why an answer did not count: another answer is needed, or what was shown is not what is asked now. */
async function refusal(
  { message, next, code }: RunbookError,
  runId: string,
  shown: string,
  { context, engine, flags }: Surroundings,
): Promise<ConsoleError> {
  const { questions = [] } = (await engine.readRunState(runId)) ?? {}
  const { mask } = await readNamedRun(runId, [], engine)
  const problem = { code, detail: mask.text(message), ...(next === undefined ? {} : { hint: next }) }
  if (findShown(questions, shown) !== undefined) return new ConsoleError({ status: 400, ...problem })
  const more = await readWaitingOf(runId, engine, flags, () => loadKnownActions(context.io))
  return new ConsoleError({ status: 409, ...problem, more })
}
