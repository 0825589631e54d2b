/** `opsbook approve`, `opsbook reject` and `opsbook answer`. */
import { coversLines } from '../../core/approval/index.ts'
import type { JsonObject, JsonSchema } from '../../core/json.ts'
import { type GivenAnswer, type RecordedAnswer, vouch } from '../../core/people/index.ts'
import {
  answeredWord,
  answererText,
  chooseQuestion,
  isExecuted,
  type QuestionRecord,
  type RecordedStatus,
  type RunState,
  stepIdOf,
} from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import type { ItemNames } from '../../view/run/index.ts'
import { answerDone, type CommandContext, type Done } from '../shared/context.ts'
import { withEngine } from '../shared/engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { Io } from '../shared/io.ts'
import type { EngineFlags, OutputFlags } from '../shared/options.ts'
import { type InputWords, readInputs } from '../shared/read-inputs.ts'
import { readWho, type WhoFlags } from '../shared/read-who.ts'
import { findRunState, refuseVagueLatest } from '../shared/record/find-run.ts'
import { readItemNames } from '../shared/record/read-item-names.ts'
import { printableLine } from '../shared/terminal/printable.ts'
import { answerShown } from './answer-shown.ts'

/** The flags of `approve` and `reject`, as the parser hands them over. */
export interface AnswerFlags extends WhoFlags, EngineFlags, OutputFlags {
  /** Names questions as they were shown together. */
  readonly all?: string
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
  named: { readonly run: string; readonly step: string },
  options: ValueFlags,
): Promise<ExitCode> {
  const { by: claimed, ...comment } = readWho(options)
  return withEngine(context, options, async (engine, _dataDir, { document: { people = {} } }) => {
    await refuseVagueLatest(named.run, engine, ['waiting'])
    const run = await findRunState(named.run, engine)
    const { run_id: runId } = run
    const value =
      kind === 'answer'
        ? { value: await readValues(options, schemaFor(run.questions, named.step), context.io) }
        : {}
    const answer = { approved: kind !== 'reject', ...value, ...vouch(people, claimed), ...comment }
    const done =
      options.all === undefined
        ? await answerOne(run, named.step, answer, engine)
        : await answerShown({ run, step: named.step, shown: options.all }, answer, engine)
    answerDone(context, options, {
      ...done,
      ...nextOf(runId, (await engine.readRunState(runId))?.status, done),
    })
    return exitCodes.succeeded
  })
}

function readValues({ set, file }: ValueFlags, schema: JsonSchema | undefined, io: Io): Promise<JsonObject> {
  const sources = {
    ...(set === undefined ? {} : { input: set }),
    ...(file === undefined ? {} : { inputsFile: file }),
  }
  return readInputs(sources, schema, io, ofFields)
}

/** The schema of the answer, for how values are read. The engine decides which question it is. */
function schemaFor(questions: readonly QuestionRecord[], step: string): JsonSchema | undefined {
  const isNamed = ({ path }: QuestionRecord): boolean =>
    [path, stepIdOf(path), path.replaceAll(/\[\d+\]/g, '')].includes(step)
  return questions.find((one) => one.status === 'open' && !one.is_superseded && isNamed(one))?.schema
}

async function answerOne(
  run: RunState,
  step: string,
  answer: GivenAnswer,
  engine: Engine,
): Promise<Omit<Done, 'next'>> {
  const { run_id: runId } = run
  const items = await readItemNamesOf(runId, [step, ...run.questions.map(({ path }) => path)], engine)
  // Fails as the engine would, with the names of items in the message.
  if (items) chooseQuestion(run.questions, step, runId, items.label)
  const recorded = await engine.answerQuestion(runId, step, answer)
  const { step: path, count, needed } = recorded
  const { by, approved } = answer
  const status = answeredWord(answer)
  const covers = approved ? questionAt(run, path)?.covers : undefined
  return {
    document: { run_id: runId, step: path, status, by, count, needed, ...(covers ? { covers } : {}) },
    more: covers ? coversLines(covers).map((line) => `  ${printableLine(line)}`) : [],
    text: `${items?.label(path) ?? path} of ${runId} was ${status} by ${answererText(by)}${asked(run, path)}${stillNeeded(recorded)}`,
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

/** Reads the names of loop items. The whole record is read only if a question belongs to a loop. */
async function readItemNamesOf(
  runId: string,
  paths: readonly string[],
  engine: Engine,
): Promise<ItemNames | undefined> {
  const record = paths.some((path) => path.includes('[')) ? await engine.readRun(runId) : undefined
  return record && readItemNames(record, paths, engine)
}

/** The question, so that a user who answers by the name of a step sees what they answered. */
function asked(run: RunState, path: string): string {
  const message = questionAt(run, path)?.message
  return message === undefined ? '' : ` (${message})`
}

/** What the step asks now; the record also keeps what it asked before a resume with changes. */
function questionAt({ questions }: RunState, path: string): QuestionRecord | undefined {
  return questions.find((one) => one.path === path && !one.is_superseded)
}
