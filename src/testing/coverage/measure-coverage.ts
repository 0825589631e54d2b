import type { RunEvent } from '../../core/events.ts'
import { stepPathOf } from '../../core/plan/index.ts'
import type { CoveragePoint } from './coverage-points.ts'

/** How much of a runbook its tests reach. */
export interface Coverage {
  readonly reached: number
  readonly total: number
  /** What no test reaches, in the order of the file. */
  readonly missing: readonly { readonly line: number; readonly what: string }[]
}

/** The coverage of a runbook, and of each one that it runs. */
export interface CoverageWithChildren extends Coverage {
  readonly children: readonly ChildCoverage[]
}

export interface ChildCoverage extends Coverage {
  /** Path of the child runbook, to show. */
  readonly file: string
}

/** Collects what runs reach. */
export interface CoverageMeter {
  /** Adds the events of a run. */
  add(events: readonly RunEvent[]): void
  /** `prefixes`: under which paths the steps of the points run. @default that of the run */
  result(points: readonly CoveragePoint[], prefixes?: readonly string[]): Coverage
}

export function createCoverageMeter(): CoverageMeter {
  const seen = new Set<string>()
  const add = (event: RunEvent): void => {
    if (event.type === 'step_started') seen.add(`started ${stepPathOf(event.path)}`)
    else if (event.type === 'attempt_failed') {
      if (event.is_repeated) seen.add(`repeated ${stepPathOf(event.path)} ${event.error.code}`)
    } else if (event.type === 'step_finished') {
      const path = stepPathOf(event.path)
      if (event.status === 'skipped' && event.condition !== undefined) seen.add(`skipped ${path}`)
      else seen.add(`started ${path}`)
      if (event.branch !== undefined) seen.add(`branch ${path} ${event.branch}`)
      if (event.caught) {
        seen.add(`caught ${path} ${event.caught.code}`)
        seen.add(`caught ${path}`)
      }
    }
  }
  return {
    add: (events) => events.forEach(add),
    result(points, prefixes = ['']) {
      const missing = points.filter(
        (point) => !prefixes.some((prefix) => isReached(within(point, prefix), seen)),
      )
      return {
        reached: points.length - missing.length,
        total: points.length,
        missing: missing
          .map((point) => ({ line: point.line, what: wordsOf(point) }))
          .toSorted((one, other) => one.line - other.line),
      }
    },
  }
}

/** The point as the events of a run name it. */
function within(point: CoveragePoint, prefix: string): CoveragePoint {
  const path = `${prefix}${point.path}`
  if (point.kind !== 'catch') return { ...point, path }
  return { ...point, path, steps: point.steps.map((step) => `${prefix}${step}`) }
}

function isReached(point: CoveragePoint, seen: ReadonlySet<string>): boolean {
  const { path } = point
  switch (point.kind) {
    case 'step':
    case 'if true':
      return seen.has(`started ${path}`)
    case 'if false':
      return seen.has(`skipped ${path}`)
    case 'branch':
      return seen.has(`branch ${path} ${point.branch}`)
    case 'retry':
      return seen.has(`repeated ${path} ${point.code}`)
    case 'catch':
      if (point.steps.length > 0)
        return point.steps.some((step) => seen.has(`started ${step}`) || seen.has(`skipped ${step}`))
      return point.codes.length === 0
        ? seen.has(`caught ${path}`)
        : point.codes.some((code) => seen.has(`caught ${path} ${code}`))
  }
}

function wordsOf(point: CoveragePoint): string {
  const { path } = point
  switch (point.kind) {
    case 'step':
      return `step ${path} never runs`
    case 'if true':
      return `if of ${path} is never true`
    case 'if false':
      return `if of ${path} is never false`
    case 'branch':
      return `branch ${point.branch + 1} of ${path} is never chosen`
    case 'retry':
      return `${path} is never repeated after ${point.code}`
    case 'catch':
      return `a catch of ${path} is never used`
  }
}
