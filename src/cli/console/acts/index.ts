/** What people do through the console: the commands `approve`, `reject`, `answer`, `cancel` and `pause`, as shown. */

import type { ConsoleActs } from '../../../console/server/index.ts'
import type { RunState } from '../../../core/record/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { CommandError, type EngineFlags } from '../../../project/index.ts'
import { findRunState } from '../../../project/records/index.ts'
import { type CommandContext, withoutTerminal } from '../../shared/context.ts'
import { answerHere } from './answer-here.ts'
import { controlHere } from './control-here.ts'
import { decideHere } from './decide-here.ts'
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
  const inTurn = createTurns()
  return {
    answer: (id, given, login) =>
      inTurn(id, async () => answerHere(await findExactRun(id, engine), given, login, surroundings)),
    control: (id, given, by) =>
      inTurn(id, async () => controlHere(await findExactRun(id, engine), given, by, engine)),
    setTriggers: (kind, given, by) =>
      inTurn('triggers', () => setTriggersHere(kind, given, by, surroundings)),
    changeSchedule: (id, verb, given, by) =>
      inTurn(`schedule ${id}`, () => changeScheduleHere({ id, verb }, given, by, surroundings)),
    decide: (id, given, by) =>
      inTurn(id, async () => decideHere(await findExactRun(id, engine), given, by, surroundings)),
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
