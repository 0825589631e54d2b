/** `opsbook rehearse`: recorded runs with a changed runbook. */

import type { JsonValue } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import type { RunSummary } from '../../core/record/index.ts'
import type { EventRecord } from '../../core/triggers/index.ts'
import type { Engine } from '../../engine/index.ts'
import { lookUpActions } from '../../project/actions/index.ts'
import { keepKeysMs } from '../../project/configuration/index.ts'
import { readLocation, withEngine, withEventStore } from '../../project/engine/index.ts'
import { CommandError, type EngineFlags } from '../../project/index.ts'
import { findRun, maskOf } from '../../project/records/index.ts'
import { loadRunbooks } from '../../project/runbooks/index.ts'
import { readMoment } from '../../project/text/index.ts'
import { type RunRehearsal, rehearseRun } from '../../testing/index.ts'
import type { CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { WithActionsFlags } from '../shared/options.ts'
import type { Rehearsal } from './rehearsal.ts'
import { type EventsOptions, type RecordedEvents, rehearseEvents, startByEvent } from './rehearse-events.ts'
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
  const { configuration } = await readLocation(flags, context.io, ['triggers'])
  return withEngine(context, flags, async (engine) => {
    const { ended, notEnded } = flags.runs
      ? await namedRuns(flags.runs, runbook.plan, engine)
      : await runsSince(sinceMs, runbook.plan, engine)
    const options: EventsOptions = {
      runbook,
      actions,
      sinceMs,
      keepKeysMs: keepKeysMs(configuration),
      endOf: endsOf(ended),
    }
    const { runs, events } = await withRecordedEvents(context, flags, runbook.plan, async (recorded) => {
      if (ended.length === 0 && recorded.listed.length === 0) throw nothingToRehearse(runbook.plan, notEnded)
      const plans = new Map<string, Plan>()
      const runs: RunRehearsal[] = []
      for (const { run_id } of ended) {
        const one = await rehearseOne(run_id, options, engine, plans, recorded)
        if (one) runs.push(one)
      }
      const isAsked = !flags.runs && recorded.listed.length > 0
      return { runs, events: isAsked ? await rehearseEvents(recorded, options) : undefined }
    })
    const rehearsal: Rehearsal = {
      runbook,
      runs,
      notEnded,
      ...(flags.runs ? {} : { sinceMs }),
      ...(events === undefined ? {} : { events }),
    }
    printRehearsal(rehearsal, flags.output, context)
    const { more = [], fewer = [] } = rehearsal.events ?? {}
    const isSame =
      runs.every(({ result }) => result === 'same' || result === 'left_out') &&
      more.length + fewer.length === 0
    return flags.strict && !isSame ? exitCodes.failed : exitCodes.succeeded
  })
}

/** Opens the events that can start the runbook. */
async function withRecordedEvents<T>(
  context: CommandContext,
  flags: EngineFlags,
  { triggers = [] }: Plan,
  work: (recorded: RecordedEvents) => Promise<T>,
): Promise<T> {
  const types = new Set(triggers.map(({ type }) => type))
  types.delete('schedule')
  const isMeant = ({ type }: EventRecord): boolean => (types as ReadonlySet<string>).has(type)
  if (types.size === 0) return work({ listed: [], read: async () => undefined })
  return withEventStore(context, flags, async (store) => {
    const events = await store.listEvents({ isWithoutBody: true, limit: most })
    const listed = events.filter(isMeant).toReversed()
    return work({
      listed,
      async read(hook, id) {
        const event = await store.readEvent(`${hook}/${id}`)
        return event && isMeant(event) ? event : undefined
      },
    })
  })
}

/** When the run that an event started ended. */
function endsOf(runs: readonly RunSummary[]): EventsOptions['endOf'] {
  const ends = new Map(runs.map(({ run_id, ended_at }) => [run_id, ended_at]))
  return ({ starts }) => {
    const started = starts.find(({ run_id, because }) => because === undefined && ends.has(run_id ?? ''))
    const end = ends.get(started?.run_id ?? '')
    return end === undefined ? undefined : Date.parse(end)
  }
}

/** The most runs of one rehearsal, and the most events. */
const most = 10_000
const endedStatuses = ['succeeded', 'failed', 'cancelled', 'unknown'] as const

interface ChosenRuns {
  readonly ended: readonly RunSummary[]
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
    if (run.runbook !== name)
      throw new CommandError('usage', `${run.run_id} is a run of ${run.runbook}, and not of ${name}`)
    if (!hasEnded(run)) throw new CommandError('usage', `${run.run_id} has not ended: it is ${run.status}`)
    found.set(run.run_id, run)
  }
  return { ended: [...found.values()], notEnded: 0 }
}

function nothingToRehearse({ name }: Plan, notEnded: number): CommandError {
  const message =
    notEnded === 0
      ? `no run of ${name} was started in that time`
      : `no run of ${name} of that time has ended, and ${notEnded} have not`
  return new CommandError('usage', message, {
    hints: [`"opsbook runs --runbook ${name}" lists its runs; --since goes further back`],
  })
}

/** Undefined: the run was removed meanwhile. */
async function rehearseOne(
  runId: string,
  options: EventsOptions,
  engine: Engine,
  plans: Map<string, Plan>,
  events: RecordedEvents,
): Promise<RunRehearsal | undefined> {
  const run = await engine.readRun(runId)
  if (!run) return undefined
  // Most runs have the same plan, and what is made of a plan is kept with it.
  const own = plans.get(run.plan.hash) ?? run.plan
  plans.set(own.hash, own)
  const { actions, runbook } = options
  const recorded = { run: { ...run, plan: own }, attempts: [...(await engine.readAttempts(runId))] }
  const from = run.started_from
  const event = from?.kind === 'event' ? await events.read(from.hook, from.event_id) : undefined
  const start = event && from && startByEvent(event, recorded.run, from.trigger, options)
  return rehearseRun(recorded, runbook.plan, {
    actions,
    ...(start ? { start } : {}),
    async mask() {
      const mask = await maskOf(run, engine)
      return <T extends JsonValue>(value: T): T => mask.value(value) as T
    },
  })
}
