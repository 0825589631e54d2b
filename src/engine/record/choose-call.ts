import { nearest } from '../../core/nearest.ts'
import { type ControlRequest, refused, refusedAsItStands } from '../../core/record/index.ts'
import type { UnresolvedCall, Verdict } from '../index.ts'

/**
 * The unresolved call that a user names by its path or by its step. Throws `InvalidInput` if no call, or several calls,
 * match. `label` formats a path for messages.
 */
export function chooseCall<T extends UnresolvedCall>(
  unresolved: readonly T[],
  { runId, step }: { readonly runId: string; readonly step: string },
  status: string,
  label: (path: string) => string = (path) => path,
): T {
  const exact = unresolved.find(({ path }) => path === step)
  if (exact) return exact
  const ofStep = unresolved.filter((call) => call.step === step)
  const [only] = ofStep
  if (only && ofStep.length === 1) return only
  const paths = (ofStep.length > 0 ? ofStep : unresolved).map(({ path }) => path)
  const names = paths.map((path) => label(path))
  if (paths.length === 0)
    throw refusedAsItStands(`nothing of ${runId} needs a decision: it is ${status}`, runId)
  if (ofStep.length > 1)
    throw refused(`several calls of ${step} need a decision, say which: ${listed(names)}`)
  const near = nearest(step, paths)
  const meant = near === undefined ? `what does: ${listed(names)}` : `did you mean ${label(near)}?`
  throw refused(`${step} of ${runId} needs no decision; ${meant}`)
}

const named = 5

function listed(paths: readonly string[]): string {
  return paths.slice(0, named).join(', ') + (paths.length > named ? ` and ${paths.length - named} more` : '')
}

/** Throws `InvalidInput` if the user decides `retry` in a run that is being cancelled: it makes no new calls. */
export function refuseRetry(
  { runId, decision }: Pick<Verdict, 'decision'> & { readonly runId: string },
  controlRequests: readonly Pick<ControlRequest, 'kind'>[],
): void {
  const isCancelled = controlRequests.some(({ kind }) => kind === 'cancel' || kind === 'cancel-now')
  if (decision !== 'retry' || !isCancelled) return
  throw refused(
    `${runId} is being cancelled: it makes no call again`,
    'Say what you found: "--as succeeded" or "--as failed". The run then ends as cancelled.',
  )
}
