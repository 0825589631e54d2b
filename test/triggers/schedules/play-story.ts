import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadRunbook, type Plan } from 'opsbook'
import type { Clock } from '../../../src/engine/attempt/clock.ts'
import { openDatabase } from '../../../src/engine/embedded/database/database.ts'
import { openScheduleTable, type ScheduleTable } from '../../../src/engine/embedded/index.ts'
import { openEventStore } from '../../../src/engine/embedded/received-events/event-store.ts'
import { type Ownership, takeOwnership } from '../../../src/engine/embedded/run/ownership.ts'
import { endRun, recordClaim } from '../../../src/engine/embedded/tables/run-rows.ts'
import { schedulesOf } from '../../../src/triggers/schedules/schedule-entry.ts'
import { createTriggerScheduler, type Scheduler } from '../../../src/triggers/schedules/scheduler.ts'
import { systemUserNamed } from '../../support/identity.ts'

/** What happens to a schedule, and what is then on record. */
export interface Story {
  readonly about: string
  readonly schedule: object
  /** Of the runbook. */
  readonly concurrency?: object
  readonly story: readonly StoryStep[]
  /** By their times of day. */
  readonly fires: Readonly<Record<string, string>>
  /** Numbers of runs. */
  readonly cancelled?: readonly number[]
}

type StoryStep =
  | { readonly clock: string }
  | { readonly serve: 'start' | 'both' | 'continue' | 'stop' }
  | { readonly begin: number }
  | { readonly end: number }
  | { readonly interrupt: number }
  | { readonly kill: number }
  | { readonly pause: string }
  | 'unpause'
  | { readonly triggers: 'pause' | 'unpause' }
  | { readonly runbook: object }

/** A clock that the test sets. */
export interface HandClock extends Clock {
  /** Resolves when everybody who waits for the clock has seen it. */
  set(timeMs: number): Promise<void>
  /** Resolves once this many callers wait. */
  untilWaiting(count: number): Promise<void>
}

export function createHandClock(startMs: number): HandClock {
  let now = startMs
  const waiting = new Set<{ readonly timeMs: number; readonly wake: () => void }>()
  let changed = (): void => {}
  const untilWaiting = async (count: number): Promise<void> => {
    while (waiting.size < count)
      await new Promise<void>((resolve) => {
        changed = resolve
      })
  }
  return {
    now: () => now,
    waitUntil: (timeMs, ...stops) =>
      new Promise((resolve) => {
        const waiter = {
          timeMs,
          wake: () => {
            waiting.delete(waiter)
            resolve()
          },
        }
        waiting.add(waiter)
        for (const stop of stops) stop.onCancel(waiter.wake)
        changed()
      }),
    async set(timeMs) {
      now = timeMs
      const count = waiting.size
      for (const waiter of [...waiting]) waiter.wake()
      await untilWaiting(count)
    },
    untilWaiting,
  }
}

/** What is on record in the end. */
export interface Played {
  /** The notifications. */
  readonly told: readonly string[]
  readonly fires: Readonly<Record<string, string>>
  readonly cancelled: readonly number[]
  /** Of every run, in the order they were started. */
  readonly startedFrom: readonly unknown[]
}

/** Plays a story on a real database. */
export async function playStory({ schedule, concurrency, story }: Story): Promise<Played> {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-schedules-'))
  const told: string[] = []
  const openStore = (goesOn = false): ScheduleTable =>
    openScheduleTable({
      dataDir,
      continues: () => goesOn,
      notices({ kind, message }) {
        told.push(`${kind}: ${message}`)
        return []
      },
    })
  const store = openStore()
  const database = openDatabase(dataDir)
  const clock = createHandClock(timeOf('00:00'))
  const book = openEventStore({ dataDir, now: clock.now })
  let plan = planWith(schedule, concurrency)
  let serving: Scheduler[] = []
  /** Each process has a connection of its own. */
  const stores: ScheduleTable[] = []
  const runIds = (): readonly string[] =>
    database
      .prepare('SELECT id FROM runs ORDER BY rowid')
      .all()
      .map(({ id }) => String(id))
  const owners = new Map<number, Ownership>()
  const serve = async (count: number, goesOn: boolean): Promise<void> => {
    serving = Array.from({ length: count }, () => {
      const own = openStore(goesOn)
      stores.push(own)
      return createTriggerScheduler({ entries: schedulesOf(plan), store: own, clock })
    })
    for (const scheduler of serving) scheduler.start()
    await clock.untilWaiting(count)
  }
  const stop = async (): Promise<void> => {
    await Promise.all(serving.map((scheduler) => scheduler.stop()))
    serving = []
  }
  const idOf = (run: number): string => runIds()[run - 1] ?? ''
  const begin = (run: number): void => {
    owners.set(run, takeOwnership(dataDir, idOf(run)))
    recordClaim(database, idOf(run))
  }
  const letGo = (run: number): void => {
    owners.get(run)?.release(false)
    owners.delete(run)
  }
  const end = (run: number, status: 'succeeded' | 'interrupted'): void => {
    endRun(database, idOf(run), { status }, clock.now())
    letGo(run)
  }
  try {
    for (const step of story) {
      if (step === 'unpause') store.setPause('scheduled', undefined, clock.now())
      else if ('clock' in step) await clock.set(timeOf(step.clock))
      else if ('serve' in step)
        await (step.serve === 'stop'
          ? stop()
          : serve(step.serve === 'both' ? 2 : 1, step.serve === 'continue'))
      else if ('begin' in step) begin(step.begin)
      else if ('end' in step) end(step.end, 'succeeded')
      else if ('interrupt' in step) end(step.interrupt, 'interrupted')
      else if ('kill' in step) letGo(step.kill)
      else if ('pause' in step) store.setPause('scheduled', { by: systemUserNamed(step.pause) }, clock.now())
      else if ('triggers' in step) {
        const since = new Date(clock.now()).toISOString()
        await book.setPause(
          step.triggers === 'pause' ? { by: systemUserNamed('somebody'), since } : undefined,
        )
      } else plan = planWith(step.runbook)
    }
    await stop()
    const [stored] = store.list(100)
    const controlRequests = database
      .prepare("SELECT run_id FROM control_requests WHERE kind = 'cancel'")
      .all()
    const all = runIds()
    return {
      told,
      fires: Object.fromEntries(
        (stored?.last ?? []).toReversed().map(({ at, because }) => [at.slice(11, 16), because ?? 'started']),
      ),
      cancelled: controlRequests.map(({ run_id: runId }) => all.indexOf(String(runId)) + 1),
      startedFrom: database
        .prepare('SELECT started_from FROM runs ORDER BY rowid')
        .all()
        .map(({ started_from: from }) => JSON.parse(String(from))),
    }
  } finally {
    await stop()
    for (const run of [...owners.keys()]) letGo(run)
    for (const opened of [store, ...stores]) opened.close()
    await book.close()
    database.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** A runbook with this schedule as its second trigger. */
export function planWith(schedule: object, concurrency?: object): Plan {
  const runbook = {
    apiVersion: 'opsbook/v1',
    name: 'scheduled',
    ...(concurrency === undefined ? {} : { concurrency }),
    inputs: { type: 'object', properties: { hosts: { default: 'all' } } },
    triggers: [{ type: 'incident' }, { type: 'schedule', ...schedule }],
    steps: [{ id: 'say', uses: 'core/log', with: { message: 'now' } }],
  }
  const { plan, diagnostics } = loadRunbook(JSON.stringify(runbook), [])
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

function timeOf(clock: string): number {
  return Date.parse(`2026-11-21T${clock}:00Z`)
}
