/** `opsbook approve`, `opsbook reject` and `opsbook answer`. */

import { answerQuestions } from '../../acts/answer/index.ts'
import { readWho, type WhoFlags } from '../../acts/index.ts'
import { coversLines } from '../../core/approval/index.ts'
import { type JsonObject, type JsonSchema, withoutUndefined } from '../../core/json.ts'
import {
  answeredWord,
  answererText,
  chooseQuestion,
  type GivenAnswer,
  type NamedQuestions,
  type QuestionRecord,
  type RecordedAnswer,
  saidText,
} from '../../core/people/index.ts'
import { stepIdOf, withoutPositions } from '../../core/plan/index.ts'
import { isExecuted, type RecordedStatus, type RunState } from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import { findRunState, readItemNames, refuseVagueLatest } from '../../project/records/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { answerDone, type CommandContext, type Done } from '../shared/context.ts'
import type { Io } from '../shared/io.ts'
import type { OutputFlags } from '../shared/options.ts'
import { type InputWords, readInputs } from '../shared/read-inputs.ts'
import { countText } from '../shared/terminal/quantity-text.ts'
import { refuseWithFacts } from './refuse-with-facts.ts'

/** The flags of `approve` and `reject`, as the parser hands them over. */
export interface AnswerFlags extends WhoFlags, EngineFlags, OutputFlags {
  /** Names questions as they were shown. */
  readonly shown?: string
}

/** The flags of `answer`. */
export interface ValueFlags extends AnswerFlags {
  readonly set?: readonly string[]
  readonly file?: string
}

const ofFields: InputWords = { noun: 'field', flag: '--set', fileFlag: '--file' }

/** Approves or rejects a step that waits for approval, or gives the values that one asks for. */
export function answerStep(
  context: CommandContext,
  kind: 'approve' | 'reject' | 'answer',
  runName: string,
  step: string,
  options: ValueFlags,
): Promise<void> {
  const who = readWho(options)
  return withEngine(context, options, async (engine) => {
    await refuseVagueLatest(runName, engine, ['waiting'])
    const run = await findRunState(runName, engine)
    const { run_id: runId } = run
    const named = await nameQuestions(run, step, options.shown, engine)
    const value =
      kind === 'answer' ? await readValues(options, schemaFor(run.questions, named), context.io) : undefined
    const answer = { approved: kind !== 'reject', ...who }
    const project = { ...context, engine, flags: options }
    const act = { ...named, ...answer, value: () => value }
    const { answers } = await answerQuestions(run, act, project).catch((thrown: unknown) =>
      refuseWithFacts(thrown, runId, named, project),
    )
    const given = { ...answer, ...(value === undefined ? {} : { value }) }
    const done = await doneOf(answers, run, named, given, engine)
    answerDone(context, options, {
      ...done,
      ...nextOf(runId, (await engine.readRunState(runId))?.status, done),
    })
  })
}

function readValues({ set, file }: ValueFlags, schema: JsonSchema | undefined, io: Io): Promise<JsonObject> {
  return readInputs(withoutUndefined({ input: set, inputsFile: file }), schema, io, ofFields)
}

/** What the answer is for. Without the word of what was shown: what the step asks now, and nothing that it asks later. */
async function nameQuestions(
  run: RunState,
  step: string,
  shown: string | undefined,
  engine: Engine,
): Promise<NamedQuestions> {
  const { run_id: runId, questions } = run
  if (shown !== undefined) return { step, shown }
  const items = await readItemNames(run, [step, ...questions.map(({ path }) => path)], engine)
  const path = chooseQuestion(questions, step, runId, items.label)
  return { step: path, shown: questionAt(questions, path)?.shown }
}

/** The schema of the answer, for how values are read. The engine decides which question it is. */
function schemaFor(
  questions: readonly QuestionRecord[],
  { step, shown }: NamedQuestions,
): JsonSchema | undefined {
  const isNamed = (one: QuestionRecord): boolean =>
    one.shown === shown || [one.path, stepIdOf(one.path), withoutPositions(one.path)].includes(step)
  return questions.find((one) => one.status === 'open' && isNamed(one))?.schema
}

async function doneOf(
  recorded: readonly RecordedAnswer[],
  run: RunState,
  { step }: NamedQuestions,
  answer: GivenAnswer,
  engine: Engine,
): Promise<Omit<Done, 'next'>> {
  const [only] = recorded
  if (!only || recorded.length > 1) return allDone(recorded, run, step, answer)
  const { run_id: runId } = run
  const { step: path, by, count, needed } = only
  const items = await readItemNames(run, [path], engine)
  const { approved, value } = answer
  const status = answeredWord(answer)
  const given = saidText(value === undefined ? {} : { value })
  const values = given === undefined ? '' : `: ${given}`
  const { message, covers: seen } = questionAt(run.questions, path) ?? {}
  const covers = approved ? seen : undefined
  const asked = message === undefined ? '' : ` (${message})`
  return {
    document: { run_id: runId, step: path, status, by, count, needed, ...(covers ? { covers } : {}) },
    more: covers ? coversLines(covers).map((line) => `  ${printableLine(line)}`) : [],
    text: `${items.label(path)} of ${runId} was ${status} by ${answererText(by)}${values}${asked}${stillNeeded(only)}`,
  }
}

/** One answer to all questions that were shown together. */
function allDone(
  recorded: readonly RecordedAnswer[],
  { run_id }: RunState,
  step: string,
  answer: GivenAnswer,
): Omit<Done, 'next'> {
  const status = answeredWord(answer)
  const { by } = answer
  const answers = recorded.map(({ step: path, count, needed }) => ({ step: path, count, needed }))
  const open = recorded.filter(({ kind }) => kind === 'counted').length
  const more = open === 0 ? '' : `; ${open} of them need another person`
  return {
    document: { run_id, step, status, by, answered: recorded.length, answers },
    text: `${countText(recorded.length, 'question')} of ${step} of ${run_id} were ${status} by ${answererText(by)}${more}`,
  }
}

/** The state of the run as far as it keeps the answer from having an effect, and the next command. */
function nextOf(
  runId: string,
  status: RecordedStatus = 'interrupted',
  { text }: Pick<Done, 'text'>,
): Pick<Done, 'text' | 'next'> {
  if (status === 'interrupted')
    return { text: `${text}; no process executes the run now`, next: `resume ${runId}` }
  if (status === 'paused') {
    const after = 'the answer is recorded, and the run continues after "unpause"'
    return { text: `${text}; ${after}`, next: `unpause ${runId}` }
  }
  // If this was the run's last step, it may have ended by now.
  return { text, next: `${isExecuted(status) ? 'watch' : 'show'} ${runId}` }
}

/** How many more people must answer. */
function stillNeeded({ kind, count, needed }: RecordedAnswer): string {
  return kind === 'settled' ? '' : `: ${count} of ${needed}; another person must answer`
}

/** What the step asks now; the record also keeps what it asked before a resume with changes. */
function questionAt(questions: readonly QuestionRecord[], path: string): QuestionRecord | undefined {
  return questions.find((one) => one.path === path && !one.is_superseded)
}
