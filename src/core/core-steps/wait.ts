import { parseDuration } from '../duration.ts'
import type { JsonObject } from '../json.ts'
import { RunbookError } from '../run-error.ts'
import { sleepAtWork } from '../steps/frame.ts'
import { cancelledResult } from '../steps/step-result.ts'
import { type CoreStep, done } from './core-step.ts'

/** Waits for a time, counted from when the run first came here, or until a moment. */
export const wait: CoreStep = async ({ path, input, frame }) => {
  const { host, cancellation } = frame
  const reachedMs = await host.firstReachedAt(path)
  const until = readEnd(input, reachedMs)
  if (until > host.now()) {
    host.report({ type: 'waiting', path, reason: 'wait', until })
  }
  await sleepAtWork(until, { path, reason: 'wait' }, frame, reachedMs)
  return cancellation.reason ? cancelledResult(frame, path) : done
}

function readEnd({ for: length, until }: JsonObject, reachedMs: number): number {
  const durationMs = typeof length === 'string' ? parseDuration(length) : undefined
  if (durationMs !== undefined) return reachedMs + durationMs
  // biome-ignore lint/style/noRestrictedGlobals: reads a text, and no clock
  const moment = typeof until === 'string' && isMoment.test(until) ? Date.parse(until) : Number.NaN
  if (!Number.isNaN(moment)) return moment
  const message = `core/wait: until must be a moment such as 2026-01-31T08:00:00Z, not ${JSON.stringify(until ?? null)}`
  throw new RunbookError('InvalidInput', message, { notSent: true })
}

/** RFC 3339 with its offset: what a clock on the wall says somewhere else must not decide. */
const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i
