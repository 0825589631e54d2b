/** What people do through the console: the commands `approve`, `reject`, `answer`, `cancel` and `pause`, as shown. */

import { answerQuestions } from '../../../acts/answer/index.ts'
import { controlRun } from '../../../acts/control/index.ts'
import { decideOutcome, type OutputsProblem, OutputsRefused } from '../../../acts/decide/index.ts'
import { whoIs } from '../../../acts/index.ts'
import { type ConsoleActs, ConsoleError, type DecideHere } from '../../../console/server/index.ts'
import type { ActionDescription } from '../../../core/action.ts'
import type { JsonObject } from '../../../core/json.ts'
import { type QuestionRecord, type RunState, refused } from '../../../core/record/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { CommandError, type EngineFlags } from '../../../project/index.ts'
import { findRun, findRunState } from '../../../project/records/index.ts'
import { type CommandContext, withoutTerminal } from '../../shared/context.ts'
import { readAnswerFields } from './read-answer-fields.ts'
import { readForm } from './read-form.ts'
import { compareHere, type ResumeRun, resumeHere } from './resume-here.ts'
import { planHere, startHere } from './start-here.ts'
import { changeScheduleHere, setTriggersHere } from './switch-here.ts'

export type { ResumeRun } from './resume-here.ts'

/** What the acts of a console are made from. */
export interface ActsOptions {
  readonly context: CommandContext
  readonly engine: Engine
  /** Resumes a run where runs are executed. Left out: this console resumes none. */
  readonly resume?: ResumeRun
  /** The flags that find the engine again. */
  readonly flags: EngineFlags
}

/** The acts of one console. Those on one run are done one after the other, so that each sees what the last has changed. */
export function createActs({ context: given, engine, flags, resume = noResume }: ActsOptions): ConsoleActs {
  const surroundings = { context: withoutTerminal(given), flags, engine, resume }
  const project = { ...surroundings.context, engine, flags }
  const inTurn = createTurns()
  return {
    answer: (id, given, login) =>
      inTurn(id, async () => {
        const { by, groups } = login
        const { comment, fields, value, ...shown } = given
        const act = {
          ...shown,
          ...whoIs(by, comment),
          ...(groups === undefined ? {} : { groups }),
          value: (asked: QuestionRecord | undefined) =>
            fields === undefined || asked === undefined ? value : readAnswerFields(asked, fields),
        }
        return answerQuestions(await findExactRun(id, engine), act, {
          ...surroundings.context,
          engine,
          flags,
        })
      }),
    control: (id, given, by) =>
      inTurn(id, async () => {
        const { comment, ...request } = given
        return controlRun(await findExactRun(id, engine), { ...request, ...whoIs(by, comment) }, engine)
      }),
    setTriggers: (kind, given, by) =>
      inTurn('triggers', () => setTriggersHere(kind, given, by, surroundings)),
    changeSchedule: (id, verb, given, by) =>
      inTurn(`schedule ${id}`, () => changeScheduleHere({ id, verb }, given, by, surroundings)),
    decide: (id, given, by) =>
      inTurn(id, async () => {
        const { fields, outputs, comment, ...shown } = given
        if (outputs !== undefined && given.decision !== 'succeeded')
          throw refused(`outputs need the decision "succeeded", not "${given.decision}"`)
        const read = (action: ActionDescription | undefined): JsonObject | undefined =>
          fields === undefined ? outputs : presentIn(readForm('output', action?.output, fields))
        const { run_id } = await findExactRun(id, engine)
        const act = { ...shown, ...whoIs(by, comment), outputs: read }
        return decideOutcome(await findRun(run_id, engine), act, project).catch((thrown: unknown) => {
          throw thrown instanceof OutputsRefused ? refusedOutputs(thrown.problem, given) : thrown
        })
      }),
    compare: async (id, given) => compareHere(await findExactRun(id, engine), given, surroundings),
    resume: (id, given, by) =>
      inTurn(id, async () => resumeHere(await findExactRun(id, engine), given, by, surroundings)),
    plan: (runbook, given) => planHere(runbook, given, surroundings),
    start: (given, by) => startHere(given, by, surroundings),
  }
}

/** The run with exactly this id: what `latest` names may have changed since a person looked. */
async function findExactRun(id: string, engine: Engine): Promise<RunState> {
  const run = await findRunState(id, engine)
  if (run.run_id === id) return run
  throw new CommandError('usage', `"${id}" is not the whole id of a run`, {
    code: 'RunNotFound',
    hints: [`the id is ${run.run_id}`],
  })
}

const noResume: ResumeRun = async (runId) => {
  throw new CommandError('environment', 'this console executes no runs', {
    hints: [`"opsbook resume ${runId}" resumes it in a terminal`],
  })
}

function createTurns(): <T>(key: string, act: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, act) => {
    const before = last.get(key)
    const mine = (async () => {
      await before?.catch(() => {})
      return act()
    })()
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}

/** An answer that does not fit, in the words of who has sent it: a form has fields. */
function refusedOutputs(
  { called, wrong, lack, missing, hint }: OutputsProblem,
  { fields }: DecideHere,
): ConsoleError {
  const what = missing.length === 0 ? 'what it has answered' : missing.join(', ')
  return new ConsoleError({
    status: 400,
    code: 'InvalidUsage',
    detail:
      wrong.length > 0
        ? `this is not what ${called} answers: ${wrong.join('; ')}`
        : `${lack}: ${fields === undefined ? `give ${what} in "outputs"` : `fill in ${what}`}`,
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Nothing typed is no answer, which `opsbook decide` accepts where nothing reads it. */
function presentIn(outputs: JsonObject): JsonObject | undefined {
  return Object.keys(outputs).length === 0 ? undefined : outputs
}
