import { nearest } from '../../core/nearest.ts'
import { refused, refusedAsItStands } from '../../core/record/refused.ts'
import type { UndecidedCall } from '../engine.ts'

/** The call that somebody decides about: by its path, or by its step. Throws `InvalidInput` where none or several are meant. */
export function chooseCall<T extends UndecidedCall>(
  undecided: readonly T[],
  { runId, step }: { readonly runId: string; readonly step: string },
  status: string,
): T {
  const exact = undecided.find(({ path }) => path === step)
  if (exact) return exact
  const ofStep = undecided.filter((call) => call.step === step)
  const [only] = ofStep
  if (only && ofStep.length === 1) return only
  const paths = (ofStep.length > 0 ? ofStep : undecided).map(({ path }) => path)
  if (paths.length === 0)
    throw refusedAsItStands(`nothing of ${runId} needs a decision: it is ${status}`, runId)
  if (ofStep.length > 1)
    throw refused(`several calls of ${step} need a decision, say which: ${listed(paths)}`)
  const near = nearest(step, paths)
  const meant = near === undefined ? `what does: ${listed(paths)}` : `did you mean ${near}?`
  throw refused(`${step} of ${runId} needs no decision; ${meant}`)
}

const named = 5

function listed(paths: readonly string[]): string {
  return paths.slice(0, named).join(', ') + (paths.length > named ? ` and ${paths.length - named} more` : '')
}
