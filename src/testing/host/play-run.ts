import type { Safety } from '../../core/action.ts'
import type { CallRequest } from '../../core/host/index.ts'
import { interpret, type RunContext } from '../../core/interpret.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { createPlanIndex, plannedAction } from '../../core/record/index.ts'
import { type ObservedRun, observe } from './observe.ts'
import { createScriptedHost, type ScriptedHost } from './scripted-host.ts'
import type { ScriptedWorld } from './scripted-world.ts'
import { createTestJournal, type TestJournal } from './test-journal.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

/** A run in a scripted world and virtual time. */
export interface PlayedRun {
  readonly seen: ObservedRun
  readonly host: ScriptedHost
  readonly journal: TestJournal
  /** From the start to the end, in virtual milliseconds. */
  readonly tookMs: number
  /** How often nothing was left to do but to let time pass. */
  readonly jumps: number
}

/** Where a run begins, and where it is stopped or cancelled. */
export interface PlayOptions {
  /** @default a new run */
  readonly journal?: TestJournal
  /** @default a clock that begins at `startMs` */
  readonly clock?: VirtualClock
  /** When the run began, in Unix milliseconds. @default {@link usualStartMs} */
  readonly startMs?: number
  readonly facts?: Partial<RunContext>
  /**
   * When the run is cancelled, the second time with its clean-up: after milliseconds, while an attempt (`a#1`) is made, or
   * while a step (`ask`) waits for an answer.
   */
  readonly cancel?: readonly (number | string)[]
  /** Stops the run as soon as the journal holds this many outcomes, or before time passes this many times. */
  readonly stop?: { readonly outcomes: number } | { readonly jumps: number }
}

/** When a run in virtual time begins by default. */
export const usualStartMs: number = Date.UTC(2026, 0, 1)

/** Runs a plan in a scripted world to its end, or to where it is stopped. */
export async function playRun(
  plan: Plan,
  inputs: JsonObject,
  world: ScriptedWorld,
  options: PlayOptions = {},
): Promise<PlayedRun> {
  const { startMs = usualStartMs, cancel = [], stop, journal = createTestJournal() } = options
  const clock = options.clock ?? createVirtualClock(startMs)
  const onSent = (request: CallRequest): void => {
    if (cancel.includes(`${request.path}#${request.attempt}`)) host.cancel()
    world.onSent?.(request)
  }
  const people: ScriptedWorld['people'] = (path, question) => {
    if (cancel.includes(path)) host.cancel()
    return world.people?.(path, question) ?? []
  }
  const index = createPlanIndex(plan)
  const safetyOf = (request: CallRequest): Safety | undefined => plannedAction(index, request)?.safety
  const outer = { safetyOf, ...world, onSent, people }
  const host: ScriptedHost = createScriptedHost(outer, clock, journal, (count) => {
    if (stop && 'outcomes' in stop && count === stop.outcomes) host.interrupt()
  })
  for (const moment of new Set(cancel)) {
    if (typeof moment !== 'number') continue
    // Two at the same time leave no time for clean-up between them.
    const times = cancel.filter((one) => one === moment)
    void clock.sleepUntil(startMs + moment).ended.then(() => times.forEach(host.cancel))
  }
  const facts = { id: 'run_1', started_at: new Date(startMs).toISOString(), ...options.facts }
  let jumps = 0
  await clock.run(interpret(plan, inputs, facts, host), () => {
    if (stop && 'jumps' in stop && jumps === stop.jumps) host.interrupt()
    else jumps++
  })
  return { seen: observe(host.events, startMs), host, journal, tookMs: clock.now() - startMs, jumps }
}
