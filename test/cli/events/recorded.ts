import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { RunEvent, TimedRunEvent } from '../../../src/core/events.ts'

/** Where every recorded stream begins. */
export const beginning: number = Date.UTC(2026, 10, 20, 3, 0, 0)

/** An event and the milliseconds after the beginning at which it happens. */
export type Moment = readonly [afterMs: number, event: RunEvent]

/** Events as a listener gets them. */
export function timed(moments: readonly Moment[], startMs: number = beginning): readonly TimedRunEvent[] {
  return moments.map(([afterMs, event]) => ({
    ...event,
    run_id: 'run_20261120_030000_abcdef',
    at: new Date(startMs + afterMs).toISOString(),
  }))
}

/** A call that succeeds at its first attempt, between these milliseconds. */
export function calling(path: string, action: string, fromMs: number, toMs: number): readonly Moment[] {
  return [
    [fromMs, { type: 'step_started', path, action }],
    [fromMs, { type: 'attempt_started', path, attempt: 1, action }],
    [toMs, { type: 'attempt_succeeded', path, attempt: 1 }],
    [toMs, { type: 'step_finished', path, status: 'succeeded', attempts: 1 }],
  ]
}

/** A run of this many steps, of which so many have ended when the next one is under way; each takes a second. */
export function longRun(total: number, ended: number): readonly Moment[] {
  const action = 'monit/tools/catalog'
  const steps = Array.from({ length: total }, (_, index) => ({ path: `step_${index + 1}`, action }))
  const one = (index: number): readonly Moment[] =>
    calling(`step_${index + 1}`, action, index * 1000, index * 1000 + 900)
  return [
    [0, { type: 'run_started', runbook: 'long', title: 'A long run', steps }],
    ...Array.from({ length: ended }, (_, index) => one(index)).flat(),
    ...one(ended).slice(0, 2),
  ]
}

const runs = parse(readFileSync(new URL('runs.yaml', import.meta.url), 'utf8')) as Record<string, Moment[]>

function recorded(name: string): readonly Moment[] {
  return (runs[name] ?? []).map(([afterMs, event]) => {
    if (!('until' in event) || event.until === undefined) return [afterMs, event]
    return [afterMs, { ...event, until: beginning + event.until }]
  })
}

export const busyRun: readonly Moment[] = recorded('busy')
export const loopRun: readonly Moment[] = recorded('loop')
export const nestedRun: readonly Moment[] = recorded('nested')
export const branchedRun: readonly Moment[] = [...nestedRun, ...recorded('branched')]
export const askingRun: readonly Moment[] = [...branchedRun, ...recorded('asking')]
