import type { QuestionRecord } from '../../core/people/index.ts'
import { withoutPositions } from '../../core/plan/index.ts'
import { isExecuted, type RecordedEvent, type RunRecord, type StepRecord } from '../../core/record/index.ts'
import type { ErrorData } from '../../core/run-error.ts'
import { countItems } from './count-items.ts'
import type { Box, BoxRun, BoxStatus, GraphedRun, StatusCounts } from './graph.ts'

/** The record of a run, as far as a graph shows it. */
export interface GraphRun {
  readonly record: Pick<RunRecord, 'run_id' | 'status' | 'started_at' | 'ended_at' | 'steps' | 'error'> & {
    readonly questions: readonly Pick<QuestionRecord, 'path' | 'status'>[]
  }
  /** All that are recorded so far. */
  readonly events: Iterable<RecordedEvent>
  /** Unix time in milliseconds: what still runs has taken the time until then. */
  readonly nowMs: number
}

/** What became of the steps of a run. */
export interface DrawnRun {
  readonly graphed: GraphedRun
  /** Of the run itself. */
  readonly whole: BoxRun
  /** Of the step at a path without positions of items. */
  of(path: string): BoxRun
  /** The branch of a choice that ran. Inside a loop each item has its own: undefined. */
  branchOf(path: string): number | undefined
}

/** Reads what became of each step. The steps of all items of a loop are one. */
export function readDrawnRun({ record, events, nowMs }: GraphRun): DrawnRun {
  const { run_id, status, started_at, ended_at, steps, questions, error } = record
  const isOpen = isExecuted(status)
  const asking = new Set(
    isOpen ? questions.flatMap((question) => (question.status === 'open' ? [question.path] : [])) : [],
  )
  const isAsking = (path: string): boolean =>
    [...asking].some((one) => one === path || one.startsWith(`${path}/`) || one.startsWith(`${path}[`))
  const items = countItems(events)
  const tallies = new Map<string, Tally>()
  for (const step of steps) {
    const address = withoutPositions(step.path)
    const tally = tallies.get(address) ?? { counts: {}, calls: 0, isInLoop: false }
    tallies.set(address, tally)
    tally.isInLoop ||= address !== step.path
    addStep(tally, step, statusOf(step, isOpen, isAsking), isOpen ? nowMs : undefined)
  }
  const took = (isOpen ? nowMs : Date.parse(ended_at ?? '')) - Date.parse(started_at)
  return {
    graphed: {
      run_id,
      started_at,
      ...(isOpen ? { as_of: new Date(nowMs).toISOString() } : {}),
    },
    whole: {
      status,
      ...(Number.isNaN(took) ? {} : { duration_ms: Math.max(0, took) }),
      ...(error ? { error: { code: error.code, message: error.message } } : {}),
    },
    of(path) {
      const tally = tallies.get(path)
      const counted = items.get(path)
      if (!tally) return { status: 'pending' }
      return {
        status: worstOf(tally.counts),
        ...(tally.calls > 0 ? { calls: tally.calls } : {}),
        ...(tally.longestMs === undefined ? {} : { duration_ms: tally.longestMs }),
        ...(counted ? { items: counted } : {}),
        ...(tally.isInLoop ? { times: tally.counts } : {}),
        ...(tally.error ? { error: { code: tally.error.code, message: tally.error.message } } : {}),
      }
    },
    branchOf: (path) => tallies.get(path)?.branch,
  }
}

/** What became of boxes together, for a part that has no record of its own. */
export function groupRun(parts: readonly Box[]): BoxRun {
  return { status: worstOf(Object.fromEntries(parts.map(({ run }) => [run?.status ?? 'pending', 1]))) }
}

interface Tally {
  readonly counts: Partial<Record<BoxStatus, number>>
  calls: number
  isInLoop: boolean
  longestMs?: number
  branch?: number
  error?: ErrorData
}

function addStep(tally: Tally, step: StepRecord, status: BoxStatus, nowMs: number | undefined): void {
  const { attempts, branch, error, caught, started_at, ended_at } = step
  tally.counts[status] = (tally.counts[status] ?? 0) + 1
  tally.calls += attempts
  if (branch !== undefined && !tally.isInLoop) tally.branch = branch
  const failure = error ?? caught
  if (failure) tally.error ??= failure
  if (started_at === undefined) return
  const tookMs =
    (ended_at === undefined ? (nowMs ?? Number.NaN) : Date.parse(ended_at)) - Date.parse(started_at)
  if (!Number.isNaN(tookMs)) tally.longestMs = Math.max(0, tookMs, tally.longestMs ?? 0)
}

function statusOf(
  { path, status, is_warning, caught, failed_items: failed }: StepRecord,
  isOpen: boolean,
  isAsking: (path: string) => boolean,
): BoxStatus {
  if (status === 'running') return isOpen ? (isAsking(path) ? 'waiting' : 'running') : 'interrupted'
  if (is_warning) return 'warning'
  // Outside of loops the box counts its items.
  if (failed && status === 'succeeded' && path.includes('[')) return 'tolerated'
  return caught && status === 'succeeded' ? 'caught' : status
}

/** What a reader must see first, first. */
const byUrgency: readonly BoxStatus[] = [
  'waiting',
  'running',
  'paused',
  'unknown',
  'failed',
  'cancelled',
  'interrupted',
  'warning',
  'tolerated',
  'caught',
  'succeeded',
  'pending',
  'queued',
  'skipped',
]

function worstOf(counts: StatusCounts): BoxStatus {
  return byUrgency.find((status) => (counts[status] ?? 0) > 0) ?? 'pending'
}
