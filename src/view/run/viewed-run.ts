import type { CallWindows } from '../../core/action.ts'
import { isForPerson, type TimedRunEvent, type Warning } from '../../core/events.ts'
import type { Masking } from '../../core/mask/index.ts'
import { isExecuted, itemPathsOf, type RunSummary } from '../../core/record/index.ts'
import type { LoopCounts } from './loop-counts.ts'
import type { PastWaits } from './past-waits.ts'
import type { RunHead, ShownWarning } from './run-view.ts'
import { shownError, timeText } from './step-node.ts'
import type { LiveRunTree } from './tree/run-tree.ts'
import { hasEnded, type StepView } from './tree/step-view.ts'

/** Items of loops with at most this many are nodes. */
export const mostItemNodes = 20

/** What a record says of a run besides its events. */
export type RunViewState = Pick<RunSummary, 'status' | 'place_in_line'>

/** How a run is viewed. */
export interface RunViewOptions {
  /** Hides what texts must not show. */
  readonly mask?: Pick<Masking, 'text'>
  /**
   * The path of an item of a loop: the nodes are the steps inside it. Events of other steps change nothing, so the head
   * counts no steps.
   * @default the whole run
   */
  readonly inside?: string
  /**
   * How often an action may be called.
   * @default not known
   */
  readonly windowsOf?: (action: string) => CallWindows | undefined
}

/** What a view keeps of the events that it has taken. */
export interface ViewedRun extends Required<RunViewOptions> {
  readonly run: Pick<RunSummary, 'run_id' | 'runbook' | 'title'>
  readonly tree: LiveRunTree
  /** The loops whose items are counted, by their paths. */
  readonly loops: Map<string, LoopCounts>
  /** Numbers of the events that changed a node last, by its path. */
  readonly changed: Map<string, number>
  readonly pastWaits: PastWaits
  /** Number of the last event. */
  seq: number
  /** What has changed since an earlier event is the whole view. */
  wholeFrom: number
  isPaused: boolean
  ended: (TimedRunEvent & { type: 'run_finished' }) | undefined
  state: RunViewState | undefined
}

/** Whether events of this path change what is viewed. */
export function isShown({ inside }: ViewedRun, path: string): boolean {
  return inside === '' || path === inside || path.startsWith(`${inside}/`)
}

/** The items around a step that are part of what is viewed. */
export function itemsAround({ inside }: ViewedRun, path: string): readonly string[] {
  return itemPathsOf(path).filter((item) => item.length > inside.length)
}

/** The loop that an item belongs to, if its items are counted here. */
export function loopOf({ loops }: ViewedRun, itemPath: string): LoopCounts | undefined {
  return loops.get(itemPath.slice(0, itemPath.lastIndexOf('[')))
}

/** The status of the run, from its events and its record. */
export function viewedStatus({ tree, state, isPaused }: ViewedRun): RunHead['status'] {
  if (tree.status !== undefined) return tree.status
  if (state && (!isExecuted(state.status) || state.status === 'queued')) return state.status
  if (isPaused) return 'paused'
  return tree.steps.some(asks) ? 'waiting' : tree.begins === 0 ? 'queued' : 'running'
}

/** Whether a step, or anything inside of it, waits for a person or an event. */
function asks({ waits, inner }: StepView): boolean {
  const isAsked = [...waits.values()].some(({ reason }) => isForPerson(reason) || reason === 'event')
  return isAsked || [...inner.values()].some(asks)
}

/** The run without its nodes. */
export function viewedHead(viewed: ViewedRun): RunHead {
  const { run, ended, state, mask } = viewed
  const { steps, startedAt, lastAt, begins } = viewed.tree
  const status = viewedStatus(viewed)
  // A process that died has recorded no end; its last event is the best estimate.
  const endedAt = ended?.at ?? (isExecuted(status) || lastAt === undefined ? undefined : timeText(lastAt))
  return {
    runbook: run.runbook,
    ...(run.title === undefined ? {} : { title: run.title }),
    status,
    ...(startedAt === undefined ? {} : { started_at: timeText(startedAt) }),
    ...(endedAt === undefined ? {} : { ended_at: endedAt }),
    ...(lastAt === undefined ? {} : { last_at: timeText(lastAt) }),
    begins,
    ...(state?.place_in_line && status === 'queued' ? { place_in_line: state.place_in_line } : {}),
    ...(ended?.error ? { error: shownError(ended.error, mask) } : {}),
    ...(ended ? shownWarnings(ended, viewed) : {}),
    steps: {
      total: steps.length,
      ended: steps.filter(hasEnded).length,
      failed: steps.filter((step) => hasEnded(step) && step.status === 'failed' && !step.isWarning).length,
    },
  }
}

const mostWarnings = 50

function shownWarnings(
  { warnings = [], warnings_left_out: leftOut = 0 }: NonNullable<ViewedRun['ended']>,
  { mask, tree }: ViewedRun,
): Pick<RunHead, 'warnings' | 'more_warnings'> {
  const more = Math.max(0, warnings.length - mostWarnings) + leftOut
  return {
    ...(warnings.length === 0 ? {} : { warnings: warnings.slice(0, mostWarnings).map(shown) }),
    ...(more === 0 ? {} : { more_warnings: more }),
  }
  function shown(warning: Warning): ShownWarning {
    const { failed_items: ofItems, path = '' } = warning
    const item = tree.items.facts(path)?.item
    return {
      ...shownError(warning, mask),
      ...(item === undefined ? {} : { item: mask.text(item) }),
      ...(ofItems === undefined ? {} : { failed_items: ofItems }),
    }
  }
}
