import { type AnswerAct, answerQuestions } from '../../acts/answer/index.ts'
import { type ControlAct, controlRun } from '../../acts/control/index.ts'
import { type DecideAct, resolveOutcome } from '../../acts/decide/index.ts'
import { sendAgain, type TakeEvent } from '../../acts/events/index.ts'
import { type Who, whoSays } from '../../acts/index.ts'
import { findOwnRunbook } from '../../acts/reads/runbooks/index.ts'
import {
  type PlanResumeAct,
  planResume,
  type ResumeAct,
  type ResumeRun,
  requestResume,
} from '../../acts/resume/index.ts'
import { changeSchedule, type ScheduleAct, withSchedules } from '../../acts/schedules/index.ts'
import { planStart, requestStart, type StartAct } from '../../acts/start/index.ts'
import { setTriggers, type TriggersAct } from '../../acts/triggers/index.ts'
import type { Identity } from '../../core/events.ts'
import type { RunState } from '../../core/record/index.ts'
import type { EventRecord } from '../../core/triggers/index.ts'
import type {
  Answered,
  Compared,
  Controlled,
  Decided,
  Planned,
  Resumed,
  ScheduleChanged,
  Started,
  TriggersSet,
} from '../../documents/index.ts'
import type { Engine } from '../../engine/index.ts'
import { CommandError, type OpenProject } from '../../project/index.ts'
import { findRun, findRunState } from '../../project/records/index.ts'
import type { Login } from './sessions.ts'

/** An act as a page or a program sends it: who acts is known by the session. */
export type Sent<T extends { readonly by?: Identity }> = Omit<T, 'by'>

/**
 * What a person does through the console. Each act names what was on the screen. Where that has changed, it rejects with
 * `Outdated`, and records nothing.
 */
export interface ConsoleActs {
  /** The groups of the login count where a question names groups. */
  answer(runId: string, act: Sent<AnswerAct>, login: Pick<Login, 'by' | 'groups'>): Promise<Answered>
  control(runId: string, act: Sent<ControlAct>, by: Identity): Promise<Controlled>
  decide(runId: string, act: Sent<DecideAct>, by: Identity): Promise<Decided>
  setTriggers(kind: 'pause' | 'unpause', act: Sent<TriggersAct>, by: Identity): Promise<TriggersSet>
  changeSchedule(act: Sent<ScheduleAct>, by: Identity): Promise<ScheduleChanged>
  /** `word`: the end of the id of the event that it becomes. */
  sendAgain(event: EventRecord, word: string, by: Identity): Promise<EventRecord>
  compare(runId: string, act: PlanResumeAct): Promise<Compared>
  resume(runId: string, act: Sent<ResumeAct>, by: Identity): Promise<Resumed>
  /** Of a runbook of the folder here, by its name. */
  plan(act: StartAct): Promise<Planned>
  start(act: Sent<StartAct>, by: Identity): Promise<Started>
}

/** What only the process that serves runs and hooks does. */
export interface ServedActs {
  readonly resume?: ResumeRun | undefined
  readonly takeEvent?: TakeEvent | undefined
}

/** The acts of one console. Those on one run are done one after the other, so that each sees what the last has changed. */
export function createActs(
  project: OpenProject,
  { resume = noResume, takeEvent = noTake }: ServedActs = {},
): ConsoleActs {
  const { engine, flags } = project
  const oneByOne = createOneByOne()
  const onRun = <T>(id: string, act: (run: RunState) => Promise<T>): Promise<T> =>
    oneByOne(id, async () => act(await findExactRun(id, engine)))
  // What comes from an address is never a path.
  const here = async (act: StartAct): Promise<StartAct> => {
    const { file } = await findOwnRunbook(act.runbook, project)
    return { ...act, runbook: file, isHere: true }
  }
  return {
    answer: (id, act, { by, groups }) =>
      onRun(id, (run) =>
        answerQuestions(run, { ...saidBy(by, act), ...(groups === undefined ? {} : { groups }) }, project),
      ),
    control: (id, act, by) => onRun(id, (run) => controlRun(run, saidBy(by, act), engine)),
    decide: (id, act, by) =>
      onRun(id, async ({ run_id }) =>
        resolveOutcome(await findRun(run_id, engine), saidBy(by, act), project),
      ),
    setTriggers: (kind, act, by) =>
      oneByOne('triggers', async () => {
        const { paused } = await setTriggers(kind, saidBy(by, act), project, flags)
        return { paused }
      }),
    changeSchedule: (act, by) =>
      oneByOne(`schedule ${act.id}`, () =>
        withSchedules(project, flags, (open) => changeSchedule(saidBy(by, act), open)),
      ),
    sendAgain: (event, word, by) => sendAgain(event, { word, by }, takeEvent),
    compare: async (id, act) => planResume(await findExactRun(id, engine), act, project),
    resume: (id, act, by) => onRun(id, (run) => requestResume(run, { ...act, by }, project, resume)),
    plan: async (act) => planStart(await here(act), project, flags),
    async start(act, by) {
      const { runId, isJoined, said, missing } = await requestStart(
        await here({ ...act, by }),
        project,
        flags,
      )
      const notes = [...said, ...(missing === undefined ? [] : [missing])]
      return { run_id: runId, is_joined: isJoined, ...(notes.length === 0 ? {} : { notes }) }
    },
  }
}

function saidBy<T extends Omit<Who, 'by'>>(by: Identity, { comment, ...act }: T): Omit<T, 'comment'> & Who {
  return { ...act, ...whoSays(by, comment) }
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

const noTake: TakeEvent = async () => {
  throw new CommandError('environment', 'this console takes no events', {
    hints: ['the console of "opsbook serve" does, or "opsbook events send"'],
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
