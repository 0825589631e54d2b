/** `opsbook rehearse`: recorded runs with a changed runbook. */
import { createMask } from '../../core/mask/index.ts'
import type { Plan } from '../../core/plan.ts'
import type { RunSummary } from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import { type RehearsedAction, type RunRehearsal, rehearseRun } from '../../testing/index.ts'
import { CommandError } from '../shared/command-error.ts'
import type { CommandContext } from '../shared/context.ts'
import { withEngine } from '../shared/engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { readMoment } from '../shared/flag-values.ts'
import { lookUpActions } from '../shared/load-actions.ts'
import type { EngineFlags, WithActionsFlags } from '../shared/options.ts'
import { findRun } from '../shared/record/find-run.ts'
import { learnSecrets } from '../shared/record/learn-secrets.ts'
import { loadRunbooks } from '../shared/runbook-files/load-runbooks.ts'
import { printRehearsal, type RehearseFormat } from './reports.ts'

/** The flags of `rehearse`, as the parser hands them over. */
export interface RehearseFlags extends EngineFlags, WithActionsFlags {
  readonly since: string
  /** Ids, keys or `latest`. */
  readonly runs?: readonly string[]
  readonly strict?: boolean
  readonly output: RehearseFormat
}

/** Rehearses the chosen runs. */
export async function rehearse(
  context: CommandContext,
  named: string,
  flags: RehearseFlags,
): Promise<ExitCode> {
  const now = Date.now()
  const sinceMs = readMoment(flags.since, now)
  const { actions, notLoaded } = await lookUpActions(context.io, flags.withActions === true)
  const [runbook] = await loadRunbooks([named], actions, context, { notLoaded })
  if (!runbook) throw new Error('no runbook was loaded')
  return withEngine(context, flags, async (engine) => {
    const { ended, notEnded } = flags.runs
      ? await namedRuns(flags.runs, runbook.plan, engine)
      : await runsSince(sinceMs, runbook.plan, engine)
    if (ended.length === 0) throw nothingToRehearse(runbook.plan, notEnded)
    const plans = new Map<string, Plan>()
    const runs: RunRehearsal[] = []
    for (const { run_id } of ended) {
      const one = await rehearseOne(run_id, runbook.plan, actions, engine, plans)
      if (one) runs.push(one)
    }
    const rehearsal = { runbook, runs, notEnded, ...(flags.runs ? {} : { sinceMs }) }
    printRehearsal(rehearsal, flags.output, context)
    const isSame = runs.every(({ result }) => result === 'same' || result === 'left_out')
    return flags.strict && !isSame ? exitCodes.failed : exitCodes.succeeded
  })
}

/** The most runs of one rehearsal. */
const most = 10_000
const endedStatuses = ['succeeded', 'failed', 'cancelled', 'unknown'] as const

interface ChosenRuns {
  readonly ended: readonly Pick<RunSummary, 'run_id'>[]
  readonly notEnded: number
}

async function runsSince(startedFromMs: number, { name }: Plan, engine: Engine): Promise<ChosenRuns> {
  const runs = await engine.listRuns({ runbook: name, startedFromMs, limit: most })
  const ended = runs.filter(hasEnded)
  return { ended, notEnded: runs.length - ended.length }
}

function hasEnded({ status }: Pick<RunSummary, 'status'>): boolean {
  return (endedStatuses as readonly string[]).includes(status)
}

async function namedRuns(given: readonly string[], { name }: Plan, engine: Engine): Promise<ChosenRuns> {
  const found = new Map<string, RunSummary>()
  for (const one of given.flatMap((names) => names.split(','))) {
    const run = await findRun(one, engine)
    if (run.runbook !== name) {
      throw new CommandError(exitCodes.usage, `${run.run_id} is a run of ${run.runbook}, and not of ${name}`)
    }
    if (!hasEnded(run)) {
      throw new CommandError(exitCodes.usage, `${run.run_id} has not ended: it is ${run.status}`)
    }
    found.set(run.run_id, run)
  }
  return { ended: [...found.values()], notEnded: 0 }
}

function nothingToRehearse({ name }: Plan, notEnded: number): CommandError {
  const message =
    notEnded === 0
      ? `no run of ${name} was started in that time`
      : `no run of ${name} of that time has ended, and ${notEnded} have not`
  return new CommandError(exitCodes.usage, message, {
    hints: [`"opsbook runs --runbook ${name}" lists its runs; --since goes further back`],
  })
}

/** Undefined: the run was removed meanwhile. */
async function rehearseOne(
  runId: string,
  plan: Plan,
  actions: readonly RehearsedAction[],
  engine: Engine,
  plans: Map<string, Plan>,
): Promise<RunRehearsal | undefined> {
  const run = await engine.readRun(runId)
  if (!run) return undefined
  // Most runs have the same plan, and what is made of a plan is kept with it.
  const own = plans.get(run.plan.hash) ?? run.plan
  plans.set(own.hash, own)
  const attempts = await engine.readAttempts(runId)
  const found = await rehearseRun({ run: { ...run, plan: own }, attempts }, plan, { actions })
  if (found.result === 'same') return found
  const mask = createMask([])
  await learnSecrets(run, engine, mask)
  const masked = <T extends { readonly what: string; readonly detail?: string }>(one: T): T => ({
    ...one,
    what: mask.text(one.what),
    ...(one.detail === undefined ? {} : { detail: mask.text(one.detail) }),
  })
  return {
    ...found,
    differences: found.differences.map(masked),
    unknown: found.unknown.map(masked),
    ...(found.reason === undefined ? {} : { reason: mask.text(found.reason) }),
  }
}
