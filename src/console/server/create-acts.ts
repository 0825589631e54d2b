/** What people do through the console: the commands `approve`, `reject`, `answer`, `cancel` and `pause`, as shown. */

import { answerQuestions } from '../../acts/answer/index.ts'
import { controlRun } from '../../acts/control/index.ts'
import { decideOutcome, type OutputsProblem, OutputsRefused } from '../../acts/decide/index.ts'
import { whoIs } from '../../acts/index.ts'
import { findOwnRunbook } from '../../acts/reads/runbooks/index.ts'
import {
  type PreviewResumeAct,
  previewResume,
  type ResumeRun,
  requestResume,
} from '../../acts/resume/index.ts'
import { changeSchedule, withSchedules } from '../../acts/schedules/index.ts'
import { previewStart, requestStart, type StartAct } from '../../acts/start/index.ts'
import { setTriggers } from '../../acts/triggers/index.ts'
import type { ActionDescription } from '../../core/action.ts'
import type { JsonObject } from '../../core/json.ts'
import type { QuestionRecord } from '../../core/people/index.ts'
import type { RunState } from '../../core/record/index.ts'
import { refused } from '../../core/run-error.ts'
import type { Engine } from '../../engine/index.ts'
import { CommandError, type OpenProject, type ProjectContext } from '../../project/index.ts'
import { findRun, findRunState } from '../../project/records/index.ts'
import type { CompareHere, ConsoleActs, DecideHere, PlanHere } from './acts.ts'
import { ConsoleError } from './problem.ts'
import { readAnswerFields } from './read-answer-fields.ts'
import { readForm } from './read-form.ts'

/** The acts of one console. Those on one run are done one after the other, so that each sees what the last has changed. */
export function createActs(project: OpenProject, resume: ResumeRun = noResume): ConsoleActs {
  const { engine, flags } = project
  const oneByOne = createOneByOne()
  return {
    answer: (id, given, login) =>
      oneByOne(id, async () => {
        const { by, groups } = login
        const { comment, fields, value, ...shown } = given
        const act = {
          ...shown,
          ...whoIs(by, comment),
          ...(groups === undefined ? {} : { groups }),
          value: (asked: QuestionRecord | undefined) =>
            fields === undefined || asked === undefined ? value : readAnswerFields(asked, fields),
        }
        return answerQuestions(await findExactRun(id, engine), act, project)
      }),
    control: (id, given, by) =>
      oneByOne(id, async () => {
        const { comment, ...request } = given
        return controlRun(await findExactRun(id, engine), { ...request, ...whoIs(by, comment) }, engine)
      }),
    setTriggers: (kind, { shown, comment }, by) =>
      oneByOne('triggers', async () => {
        const { paused } = await setTriggers(kind, { shown, ...whoIs(by, comment) }, project, flags)
        return { paused }
      }),
    changeSchedule: (id, verb, { shown, comment }, by) =>
      oneByOne(`schedule ${id}`, () =>
        withSchedules(project, flags, (open) =>
          changeSchedule({ id, verb, shown, ...whoIs(by, comment) }, open),
        ),
      ),
    decide: (id, given, by) =>
      oneByOne(id, async () => {
        const { fields, outputs, comment, ...shown } = given
        const { run_id } = await findExactRun(id, engine)
        if (outputs !== undefined && given.decision !== 'succeeded')
          throw refused(`outputs need the decision "succeeded", not "${given.decision}"`)
        const read = (action: ActionDescription | undefined): JsonObject | undefined =>
          fields === undefined ? outputs : presentIn(readForm('output', action?.output, fields))
        const act = { ...shown, ...whoIs(by, comment), outputs: read }
        return decideOutcome(await findRun(run_id, engine), act, project).catch((thrown: unknown) => {
          throw thrown instanceof OutputsRefused ? refusedOutputs(thrown.problem, given) : thrown
        })
      }),
    compare: async (id, given) => previewResume(await findExactRun(id, engine), wishesOf(given), project),
    resume: (id, { shown, ...given }, by) =>
      oneByOne(id, async () =>
        requestResume(await findExactRun(id, engine), { ...wishesOf(given), shown, by }, project, resume),
      ),
    plan: async (runbook, given) => previewStart(await startOf(runbook, given, project), project, flags),
    async start({ runbook, shown, key, ...given }, by) {
      const act = {
        ...(await startOf(runbook, given, project)),
        ...(shown === undefined ? {} : { shown }),
        ...(key === undefined ? {} : { key }),
        by,
      }
      const { runId, isJoined, said, missing } = await requestStart(act, project, flags)
      const notes = [...said, ...(missing === undefined ? [] : [missing])]
      return { run_id: runId, is_joined: isJoined, ...(notes.length === 0 ? {} : { notes }) }
    },
  }
}

/** A start of a runbook of the folder here: what comes from an address is never a path. */
async function startOf(name: string, given: PlanHere, context: ProjectContext): Promise<StartAct> {
  const { file } = await findOwnRunbook(name, context)
  const { inputs = {}, fields } = given
  return {
    runbook: file,
    isHere: true,
    inputs: (schema) => (fields === undefined ? inputs : readForm('input', schema, fields)),
  }
}

/** The wishes of a resume, as a page or a program sends them. */
function wishesOf({ inputs, fields, ...wishes }: CompareHere): PreviewResumeAct {
  return {
    ...wishes,
    inputs: (schema) => (fields === undefined ? inputs : readForm('input', schema, fields)),
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

function createOneByOne(): <T>(key: string, act: () => Promise<T>) => Promise<T> {
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
