import type { Masking } from '../../core/mask/index.ts'
import type { Plan } from '../../core/plan.ts'
import type { RecordedEvent, RunSummary } from '../../core/record/index.ts'
import type { RunHead, RunView, StepNode } from './run-view.ts'
import { runFacts } from './tree/run-facts.ts'
import { createRunTree } from './tree/run-tree.ts'
import { nameWithin } from './tree/step-paths.ts'
import { hasEnded, type StepView } from './tree/step-view.ts'

/** Folds the events of a run into what a screen shows of it. */
export interface LiveRunView {
  /** Takes the next event. Costs the same however many items the run has. */
  take(recorded: RecordedEvent): void
  /** Takes what the events do not tell: that the run is queued, or that its process is gone. */
  takeState(state: Pick<RunSummary, 'status' | 'turn' | 'ended_at'>): void
  /** Number of the last event. */
  readonly seq: number
  /** What is shown at this Unix time in milliseconds; with `afterSeq` only the nodes that have changed since. */
  view(nowMs: number, afterSeq?: number): RunView
}

/** Creates the view of a run that has taken no events yet. `mask` hides what texts must not show. */
export function createRunView(
  run: Pick<RunSummary, 'run_id' | 'runbook' | 'title'> & { readonly plan: Plan },
  mask?: Masking,
): LiveRunView {
  const tree = createRunTree({ ...runFacts(run.plan), ...(mask ? { mask } : {}) })
  let state: Pick<RunSummary, 'status' | 'turn' | 'ended_at'> | undefined
  let seq = 0
  const head = (): RunHead => ({
    runbook: run.runbook,
    ...(run.title === undefined ? {} : { title: run.title }),
    status: tree.status ?? state?.status ?? 'running',
    ...(tree.startedAt === undefined ? {} : { started_at: new Date(tree.startedAt).toISOString() }),
    ...(state?.ended_at === undefined ? {} : { ended_at: state.ended_at }),
    ...(state?.turn ? { turn: state.turn } : {}),
    begins: tree.begins,
    steps: {
      total: tree.steps.length,
      ended: tree.steps.filter(hasEnded).length,
      failed: tree.steps.filter(({ status }) => status === 'failed').length,
    },
  })
  return {
    get seq() {
      return seq
    },
    take(recorded) {
      seq = recorded.seq
      tree.take(recorded.event)
    },
    takeState(given) {
      state = given
    },
    view: () => ({
      run_id: run.run_id,
      seq,
      is_whole: true,
      head: head(),
      nodes: tree.steps.flatMap((step, position) => nodesOf(step, position)),
    }),
  }
}

function nodesOf(step: StepView, position: number, parent?: string): readonly StepNode[] {
  const { path, status, action } = step
  const node: StepNode = {
    path,
    ...(parent === undefined ? {} : { parent }),
    position,
    id: nameWithin(path, parent ?? ''),
    kind: action === 'block' || action === 'parallel' || action === 'choose' ? action : 'call',
    ...(step.name === undefined ? {} : { name: step.name }),
    action,
    status,
    ...(step.startedAt === undefined ? {} : { started_at: new Date(step.startedAt).toISOString() }),
    ...(step.endedAt === undefined ? {} : { ended_at: new Date(step.endedAt).toISOString() }),
    ...(step.error ? { error: { code: step.error.code, message: step.error.message } } : {}),
  }
  return [node, ...[...step.inner.values()].flatMap((inner, place) => nodesOf(inner, place, path))]
}
