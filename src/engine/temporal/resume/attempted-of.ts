import type { Attempted } from '../../../core/host.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { AttemptAnswer, AttemptRefusal } from '../messages.ts'

/** What a history says of the end of a call. */
export interface EndedCall {
  readonly atMs: number
  readonly answer?: AttemptAnswer
  readonly refusal?: AttemptRefusal
  readonly wasSent?: boolean
}

/** What a call came to that the history says ended like this. */
export function attemptedOf(
  { atMs, answer, refusal, wasSent }: EndedCall,
  { path, action }: { readonly path: string; readonly action: string },
  startedAtMs: number,
): { readonly attempted: Attempted; readonly requestId?: string } {
  const { waitedMs, requestId } = answer ?? refusal ?? {}
  const times = { startedAtMs, endedAtMs: atMs, ...(waitedMs === undefined ? {} : { waitedMs }) }
  const known = requestId === undefined ? {} : { requestId }
  if (answer) return { attempted: { status: 'succeeded', output: answer.output, ...times }, ...known }
  const error = refusal?.error ?? lost(wasSent === true, path, action)
  return { attempted: { status: 'failed', error, ...times }, ...known }
}

function lost(wasSent: boolean, path: string, action: string): ErrorData {
  if (!wasSent)
    return { code: 'Cancelled', message: `${action} was called off before it was sent`, path, notSent: true }
  return { code: 'OutcomeUnknown', message: `${action} was begun, and its worker was lost`, path }
}
