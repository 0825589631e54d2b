import type { RunEvent, TimedRunEvent } from '../events.ts'
import { withoutUndefined } from '../json.ts'
import { actionName } from '../plan/plan-walk.ts'
import { withoutPositions } from '../plan/step-address.ts'
import type { PlanIndex } from './plan-index.ts'
import type { StepRecord } from './run-record.ts'

/** A record that has changed. */
export interface StepChange {
  readonly record: StepRecord
  readonly position: number
}

/** The records of the steps of one run. */
export interface StepRows {
  /** Writes the record of a step that has none, or what has changed of one that has. */
  write(step: StepRecord, position: number): void
  read(path: string): StepRecord | undefined
  /** Those outside of loops: as many as the plan has. */
  readOutsideLoops(): readonly StepRecord[]
  lastPosition(): number
}

/**
 * Keeps the records of the steps of a run up to date from its events. Those outside of loops are held, as many as the
 * plan has; those inside, of which there can be ten thousand, are only in the database.
 */
export interface StepRecords {
  /** The records that the event changes. */
  take(event: TimedRunEvent): readonly StepChange[]
  /** Those outside of loops. What still runs has been interrupted. */
  list(): readonly StepRecord[]
}

/** Counted on in its place: that happens with every attempt. */
type HeldRecord = Omit<StepRecord, 'attempts'> & { attempts: number }

export function createStepRecords(index: PlanIndex, rows: StepRows, isNew: boolean): StepRecords {
  const held = new Map<string, HeldRecord>(
    isNew ? [] : rows.readOutsideLoops().map((record) => [record.path, record]),
  )
  const places = new Map([...held.keys()].map((path, place) => [path, place]))
  let last = isNew ? -1 : rows.lastPosition()

  /** A step inside a loop has a position once: when it begins. The row keeps it. */
  const positionOf = (path: string): number => {
    const known = places.get(path)
    if (known !== undefined) return known
    last++
    if (!isInLoop(path)) places.set(path, last)
    return last
  }
  const keep = (record: StepRecord): StepChange => {
    if (!isInLoop(record.path)) held.set(record.path, { ...record })
    return { record, position: positionOf(record.path) }
  }
  const blank = (path: string): StepRecord => {
    const step = index.ownerOf(path)?.step
    return {
      path,
      ...(step?.name === undefined ? {} : { name: step.name }),
      action: step ? actionName(step) : '',
      status: 'pending',
      attempts: 0,
    }
  }
  /** Of the path itself, and of everything around it: `a/b/c`, `a/b`, `a`. */
  const countAttempt = (path: string): void => {
    for (let end = path.length; end > 0; end = startOfLast(path, end - 1)) {
      const record = held.get(path.slice(0, end))
      if (record) record.attempts++
    }
  }
  return {
    take(event) {
      switch (event.type) {
        case 'run_started':
          return event.steps.flatMap(({ path }) => (held.has(path) ? [] : [keep(blank(path))]))
        case 'attempt_started':
          countAttempt(event.path)
          return []
        case 'attempt_succeeded':
          if (event.from_journal) countAttempt(event.path)
          return []
        case 'step_started': {
          const before = held.get(event.path) ?? blank(event.path)
          return [
            keep({ ...blank(event.path), status: 'running', started_at: before.started_at ?? event.at }),
          ]
        }
        case 'step_finished':
          return [keep(finished(held.get(event.path) ?? blank(event.path), event))]
        default:
          return []
      }
    },
    list: () =>
      [...held.values()].map((record) =>
        record.status === 'running' ? { ...record, status: 'interrupted' } : record,
      ),
  }
}

function isInLoop(path: string): boolean {
  return path.includes('[')
}

/** Where the last part of a path begins that begins at this place or before: a step, or an item of a loop. */
function startOfLast(path: string, place: number): number {
  return Math.max(path.lastIndexOf('/', place), path.lastIndexOf('[', place))
}

/** What an ending before this one left in the record is no longer so. */
function finished(record: StepRecord, event: TimedRunEvent & { type: 'step_finished' }): StepRecord {
  const { path, name, action, started_at } = record
  const { status, attempts, branch, error, is_warning, caught, failed_items, condition, values } = event
  return {
    path,
    ...(name === undefined ? {} : { name }),
    action,
    ...(started_at === undefined ? {} : { started_at }),
    status,
    attempts,
    ...withoutUndefined({ branch, error, is_warning, caught, failed_items, condition, values }),
    ...(status === 'skipped' ? {} : { ended_at: event.at }),
  }
}

/** Whether the log of a run keeps the event: watching a deadline is no event for a reader. */
export function isKeptInLog(event: RunEvent): boolean {
  return event.type !== 'waiting' || event.reason !== 'timeout'
}

/** In characters of JSON. */
const mostLength = 16_384

/**
 * What the log keeps of an event whose outputs are too large to be kept a second time. Undefined: all of it.
 * `length`: of the event, as JSON.
 */
export function withoutLargeOutputs(event: object, length: number): object | undefined {
  if (length <= mostLength || !('outputs' in event)) return undefined
  const { outputs: _, ...rest } = event
  return rest
}

/**
 * Whether a path is that of a step, or of what is inside of it: its items and calls too. A step without positions is
 * that step in each item of the loops around it.
 */
export function isPathInside(path: string, step: string): boolean {
  const place = step.includes('[') ? path : withoutPositions(path)
  return place === step || (place.startsWith(step) && /^[[/#@]/.test(place.slice(step.length)))
}

/** Whether an event is of the run itself, of this path, or of what is inside it. */
export function isEventInside(event: RunEvent, path: string): boolean {
  return !('path' in event) || event.path === path || event.path.startsWith(`${path}/`)
}
