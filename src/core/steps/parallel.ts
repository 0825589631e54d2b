import { type CancellationSource, createCancellation } from '../host/cancellation.ts'
import type { JsonObject } from '../json.ts'
import type { ParallelStepPlan } from '../plan/plan.ts'
import { innerApprovals } from './approvals.ts'
import { type Frame, visibleSteps } from './frame.ts'
import { runPool } from './pool.ts'
import { runStep } from './step.ts'
import { bytesRead, cancelledResult, continues, type StepResult, visibleResult } from './step-result.ts'

/** Runs branches at the same time. They see what is around them, and not each other. */
export async function runParallel(parallel: ParallelStepPlan, frame: Frame): Promise<StepResult> {
  const { branches, maxParallel = branches.length, onBranchError } = parallel
  const cancellation = createCancellation(frame.cancellation)
  const results: (StepResult | undefined)[] = branches.map(() => undefined)
  try {
    await runPool(maxParallel, branches.length, async (index) => {
      const branch = branches[index]
      if (!branch || cancellation.reason) return
      const result = await runStep(branch, { ...frame, cancellation, ...innerApprovals(frame) })
      results[index] = result
      if (onBranchError === 'cancel-others' && !continues(result)) cancelOthers(cancellation, branch.id)
    })
  } finally {
    cancellation.close()
  }
  return judge(parallel, results, frame)
}

function cancelOthers(cancellation: CancellationSource, id: string): void {
  cancellation.cancel({ code: 'Cancelled', message: `the branch ${id} failed` })
}

function judge(
  { branches }: ParallelStepPlan,
  results: readonly (StepResult | undefined)[],
  frame: Frame,
): StepResult {
  const inner: Record<string, JsonObject> = { ...visibleSteps(frame) } as Record<string, JsonObject>
  for (const [index, branch] of branches.entries()) {
    const result = results[index]
    if (!result) continue
    inner[branch.id] = visibleResult(result, branch)
    frame.memory.release(bytesRead(result, branch))
  }
  const attempts = results.reduce((sum, result) => sum + (result?.attempts ?? 0), 0)
  const ended = results.flatMap((result) => (result && !continues(result) ? [result] : []))
  // An unknown outcome outweighs all others: the run waits for a person.
  const worst =
    ended.find(({ status }) => status === 'unknown') ??
    ended.find(({ status }) => status === 'failed') ??
    ended[0] ??
    (results.includes(undefined) ? cancelledResult(frame, frame.path) : undefined)
  if (!worst) return { status: 'succeeded', attempts, inner }
  return { status: worst.status, attempts, inner, ...(worst.error ? { error: worst.error } : {}) }
}
