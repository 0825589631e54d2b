import { scheduleActivity } from '@temporalio/workflow'
import { callFingerprint } from '../../../../core/calls/index.ts'
import type { PreparedCall, ReusableResultStore } from '../../../../core/host/index.ts'
import { canonicalText, isJsonObject } from '../../../../core/json.ts'
import { stepAddressOfCall } from '../../../../core/plan/index.ts'
import { createReusableResults, hasStepIn, readOverrides } from '../../../../core/resume/index.ts'
import type { ContinuedChanges, ContinuedReusable, TakenReusable } from '../../continued-state.ts'
import { type FileOrder, type RunStart, takeFileActivity } from '../../messages.ts'

/** The results from before a resume with changes, which calls can reuse. */
export interface ResumedCalls extends ReusableResultStore<PreparedCall> {
  /** For the continued state. */
  carry(): ContinuedChanges
}

export function createResumedCalls(
  { plan, runId, actionQueue }: Pick<RunStart, 'plan' | 'runId' | 'actionQueue'>,
  changed: ContinuedChanges,
): ResumedCalls {
  const { number, overrides, local, reusables, kept } = changed
  const taken: TakenReusable[] = [...changed.taken]
  const givenUp: number[] = [...changed.givenUp]
  const byId = new Map(reusables.map((reusable) => [reusable.id, reusable]))
  const gone = new Set([...taken.map(({ reusable }) => reusable), ...givenUp])
  const isLocal = new Set(local)
  const reusable = createReusableResults<ContinuedReusable>({
    reusables: reusables.filter(({ id }) => !gone.has(id)),
    kept: [...kept, ...taken.flatMap((one) => keptBy(one, byId.get(one.reusable)))],
    overrides: readOverrides(overrides, plan),
    isWrite: (reusable) => reusable.isWrite === true,
    hasStep: hasStepIn(plan),
    takeFile(reusable, call) {
      const file = fileOf(reusable)
      if (file === undefined) return true
      const [from, to] = [stepAddressOfCall(reusable.path), stepAddressOfCall(call.path)]
      const order: FileOrder = { runId, changes: number, file, from, to }
      return scheduleActivity<boolean>(takeFileActivity, [order], {
        taskQueue: actionQueue,
        startToCloseTimeout: '1 minute',
        summary: `file of ${from}`,
      })
    },
    giveUp: ({ id }) => void givenUp.push(id),
  })
  return {
    async take({ request, safety }) {
      const { path, attempt, action } = request
      const asked = canonicalText(callFingerprint(request))
      const one = await reusable.take({ path, action, asked, safety, isLocal: isLocal.has(action) })
      if (one.kind === 'to-make') return one
      const { id, attempted, requestId } = one.reusable
      if (!attempted) throw new Error(`the outcome of ${one.reusable.path} is unknown`)
      taken.push({ reusable: id, path, attempt, asked })
      return { kind: 'reused', id, attempted, requestId }
    },
    carry: () => ({ ...changed, taken, givenUp }),
  }
}

function keptBy({ asked }: TakenReusable, reusable: ContinuedReusable | undefined): ContinuedChanges['kept'] {
  return reusable && reusable.asked !== asked ? [{ action: reusable.action, asked: reusable.asked }] : []
}

function fileOf({ attempted }: ContinuedReusable): string | undefined {
  if (attempted?.status !== 'succeeded' || !isJsonObject(attempted.output)) return undefined
  const { path } = attempted.output
  return typeof path === 'string' ? path : undefined
}
