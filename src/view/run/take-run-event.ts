import type { FailureKind, TimedRunEvent } from '../../core/events.ts'
import type { RecordedEvent } from '../../core/record/index.ts'
import { itemIndex } from '../../core/record/index.ts'
import { beginItem, endItem, hasFailed, loopCounts, tolerateInItem, workItem } from './loop-counts.ts'
import { loopTime, stopTime, takeItemTime } from './loop-time.ts'
import { endAllWaits, takeWaits } from './past-waits.ts'
import { shortText } from './step-node.ts'
import { isTolerated } from './tree/run-tree.ts'
import { enclosingPaths } from './tree/step-paths.ts'
import { isShown, itemsAround, loopOf, mostItemNodes, type ViewedRun } from './viewed-run.ts'

/** Folds an event into what is viewed. Costs the same however many items the run has. */
export function takeRunEvent(viewed: ViewedRun, { event, seq }: RecordedEvent): void {
  const { tree } = viewed
  viewed.seq = seq
  if ('path' in event && !isShown(viewed, event.path)) return
  if (event.type === 'run_started') {
    viewed.ended = undefined
    viewed.state = undefined
  }
  if (event.type === 'run_finished') viewed.ended = event
  if (event.type === 'run_paused' || event.type === 'run_unpaused')
    viewed.isPaused = event.type === 'run_paused'
  const before = 'path' in event && event.type === 'step_started' ? tree.stepOf(event.path) : undefined
  // It begins again: what was inside it is gone.
  if (before?.path === (event as { path?: string }).path && (before?.inner.size ?? 0) > 0)
    viewed.wholeFrom = seq
  countItems(viewed, event)
  tree.take(event)
  markChanged(viewed, event)
}

function countItems(viewed: ViewedRun, event: TimedRunEvent): void {
  const at = Date.parse(event.at)
  if (event.type === 'run_started' || event.type === 'run_finished')
    for (const { time } of viewed.loops.values()) if (time) stopTime(time, at)
  if (!('path' in event)) return
  const around = itemsAround(viewed, event.path)
  for (const item of around) {
    const time = loopOf(viewed, item)?.time
    if (time) takeItemTime(time, itemIndex(item), item, event)
  }
  switch (event.type) {
    case 'items_counted':
      countLoop(viewed, event, at)
      return
    case 'item_started': {
      const counts = loopOf(viewed, event.path)
      if (counts) beginItem(counts, itemIndex(event.path), at)
      return
    }
    case 'item_finished':
      tolerate(viewed, event, [event.path, ...around])
      finishItem(viewed, event, at)
      return
    case 'step_finished':
      tolerate(viewed, event, around)
      return
    case 'step_started':
    case 'attempt_started':
    case 'waiting':
      // The items around a call do something new.
      for (const item of around) {
        const counts = loopOf(viewed, item)
        if (counts) workItem(counts, itemIndex(item))
      }
  }
}

/** Counts what failed inside of these items and is tolerated. */
function tolerate(viewed: ViewedRun, event: TimedRunEvent, items: readonly string[]): void {
  if (!isTolerated(event)) return
  const failed = event.failed_items ?? { total: 0, failed: 0, kinds: ownFailure(event) }
  const kinds = failed.kinds.map((kind) => ({ ...kind, message: shortText(viewed.mask.text(kind.message)) }))
  for (const item of new Set(items)) {
    const counts = loopOf(viewed, item)
    if (counts) tolerateInItem(counts, itemIndex(item), { ...failed, kinds })
  }
}

/** The failure of a step without items. */
function ownFailure(event: TimedRunEvent): readonly FailureKind[] {
  if (!('error' in event) || !event.error) return []
  const { code, message } = event.error
  return [{ code, message, index: 0, count: 1 }]
}

function countLoop(
  viewed: ViewedRun,
  { path, total, is_limit }: TimedRunEvent & { type: 'items_counted' },
  startedAtMs: number,
): void {
  const { loops } = viewed
  const outer = itemsAround(viewed, path)
  // Of a loop inside a large loop there could be ten thousand.
  if (outer.length > 1 || outer.some((item) => (loopOf(viewed, item)?.total ?? 0) > mostItemNodes)) return
  const unit = is_limit ? 'turns' : 'items'
  const time = !is_limit && total > mostItemNodes ? loopTime(startedAtMs) : undefined
  loops.set(path, loopCounts({ unit, total, startedAtMs, time }, loops.get(path)?.items))
}

function finishItem(
  viewed: ViewedRun,
  { path, status }: TimedRunEvent & { type: 'item_finished' },
  at: number,
): void {
  const { tree, mask } = viewed
  const counts = loopOf(viewed, path)
  if (!counts) return
  const step = tree.stepOf(path)
  const failure = step?.path === path && hasFailed(status) ? step.lastFailure : undefined
  const item = failure && tree.items.facts(path)?.item
  const error = failure && {
    code: failure.code,
    // Masked before it is cut: no mask finds half a secret.
    message: shortText(mask.text(failure.message)),
    ...(item === undefined ? {} : { item }),
  }
  endItem(counts, itemIndex(path), status, at, error)
}

/** Marks the nodes that an event changes: its own, and the loops around it. */
function markChanged(viewed: ViewedRun, event: TimedRunEvent): void {
  const { seq, inside, loops, changed, pastWaits } = viewed
  if (event.type === 'run_started' || event.type === 'run_finished') {
    viewed.wholeFrom = seq
    endAllWaits(pastWaits, event)
  }
  if (!('path' in event)) return
  let last: string | undefined
  for (const path of enclosingPaths(event.path)) {
    if (path.length <= inside.length) continue
    if (!isNode(viewed, path)) break
    last = path
    if (loops.has(path)) changed.set(path, seq)
  }
  if (last === undefined) return
  changed.set(last, seq)
  takeWaits(pastWaits, event, last, (path) => loops.get(path)?.unit === 'turns')
}

function isNode(viewed: ViewedRun, path: string): boolean {
  const outer = itemsAround(viewed, path)
  const [item] = outer
  return item === undefined || (outer.length === 1 && (loopOf(viewed, item)?.total ?? 0) <= mostItemNodes)
}
