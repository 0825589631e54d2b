import { wordOf } from '../../core/people/index.ts'
import type { ControlRequest, RunRecord } from '../../core/record/index.ts'
import { refused, refusedAsItStands } from '../../core/run-error.ts'
import { nearest } from '../../core/text/index.ts'
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

/**
 * Names a call with an unknown outcome as a user sees it. The word changes once somebody decides about the call, resumes the
 * run, or the call is made again: numbers of attempts alone begin anew then.
 */
export function callWord(
  { path, attempt }: Pick<UnresolvedCall, 'path' | 'attempt'>,
  { decisions, resumes }: Pick<RunRecord, 'decisions' | 'resumes'>,
): string {
  return wordOf(1, [path, attempt, decisions.filter((one) => one.path === path).length, resumes.length])
}

/** Throws `InvalidInput` if a user saw a call otherwise than it stands now. `shown`: its word then. */
export function refuseChangedCall(
  call: UnresolvedCall,
  { runId, shown }: Pick<Verdict, 'shown'> & { readonly runId: string },
  record: Pick<RunRecord, 'decisions' | 'resumes'>,
): void {
  if (shown === undefined || shown === callWord(call, record)) return
  throw refused(
    `${call.path} of ${runId} has changed since it was shown: it was called again, or its run was resumed`,
    `"opsbook show ${runId}" shows it as it is now.`,
  )
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
