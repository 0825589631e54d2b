import { scheduleActivity } from '@temporalio/workflow'
import type { Safety } from '../../../core/action.ts'
import { hasStepIn } from '../../../core/amend/placed-steps.ts'
import { readWords } from '../../../core/amend/read-words.ts'
import { createSeedPool } from '../../../core/amend/seed-pool.ts'
import { canonicalText } from '../../../core/canonical-text.ts'
import type { Attempted, CallRequest } from '../../../core/host.ts'
import { isJsonObject } from '../../../core/json.ts'
import { placeOfCall } from '../../../core/record/place-of-call.ts'
import { whatIsAsked } from '../../../core/record/what-is-asked.ts'
import type { CarriedAmendment, CarriedSeed, TakenSeed } from '../carried.ts'
import { type FileOrder, type RunStart, takeFileActivity } from '../messages.ts'

/** What becomes of a call of an amended run that it has not made since. */
export type AmendedCall =
  | { readonly kind: 'reused'; readonly attempted: Attempted; readonly requestId?: string }
  /** `isInDoubt`: the same call was made before the amendment, and nobody knows what came of it. */
  | { readonly kind: 'to-make'; readonly isInDoubt: boolean }

/** What was done before a run was amended, for its calls to take over. */
export interface AmendedCalls {
  /** Decides about a call. Rejects with `PlanDrift`, which ends the run, where somebody must say a word first. */
  take(request: CallRequest, safety: Safety): Promise<AmendedCall>
  /** As the run takes it along. */
  carry(): CarriedAmendment
}

export function createAmendedCalls(
  { plan, runId, actionQueue }: Pick<RunStart, 'plan' | 'runId' | 'actionQueue'>,
  amended: CarriedAmendment,
): AmendedCalls {
  const { number, words, local, seeds, kept } = amended
  const taken: TakenSeed[] = [...amended.taken]
  const givenUp: number[] = [...amended.givenUp]
  const byId = new Map(seeds.map((seed) => [seed.id, seed]))
  const gone = new Set([...taken.map(({ seed }) => seed), ...givenUp])
  const isLocal = new Set(local)
  const pool = createSeedPool<CarriedSeed>({
    seeds: seeds.filter(({ id }) => !gone.has(id)),
    kept: [...kept, ...taken.flatMap((one) => keptBy(one, byId.get(one.seed)))],
    words: readWords(words, plan),
    isWrite: (seed) => seed.isWrite === true,
    hasStep: hasStepIn(plan),
    takeFile(seed, call) {
      const file = fileOf(seed)
      if (file === undefined) return true
      const [from, to] = [placeOfCall(seed.path), placeOfCall(call.path)]
      const order: FileOrder = { runId, amendment: number, file, from, to }
      return scheduleActivity<boolean>(takeFileActivity, [order], {
        taskQueue: actionQueue,
        startToCloseTimeout: '1 minute',
        summary: `file of ${from}`,
      })
    },
    giveUp: ({ id }) => void givenUp.push(id),
  })
  return {
    async take(request, safety) {
      const { path, attempt, action } = request
      const asked = canonicalText(whatIsAsked(request))
      const one = await pool.take({ path, action, asked, safety, isLocal: isLocal.has(action) })
      if (one.kind === 'to-make') return one
      const { id, attempted, requestId } = one.seed
      if (!attempted) throw new Error(`nothing is known of what ${one.seed.path} came to`)
      taken.push({ seed: id, path, attempt, asked })
      return { kind: 'reused', attempted, ...(requestId === undefined ? {} : { requestId }) }
    },
    carry: () => ({ ...amended, taken, givenUp }),
  }
}

function keptBy({ asked }: TakenSeed, seed: CarriedSeed | undefined): CarriedAmendment['kept'] {
  return seed && seed.asked !== asked ? [{ action: seed.action, asked: seed.asked }] : []
}

function fileOf({ attempted }: CarriedSeed): string | undefined {
  if (attempted?.status !== 'succeeded' || !isJsonObject(attempted.output)) return undefined
  const { path } = attempted.output
  return typeof path === 'string' ? path : undefined
}
