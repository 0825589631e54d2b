import type { ErrorData } from '../run-error.ts'
import { type Identity, identityText } from './identity.ts'

/** What a call has come to once a person has found out that it was not carried out. */
export function decidedFailure(
  { path, action }: { readonly path: string; readonly action: string },
  { by, comment }: { readonly by: Identity; readonly comment?: string | undefined },
): ErrorData {
  const said = comment === undefined ? '' : `: ${comment}`
  const message = `${identityText(by)} found out that ${action} was not carried out${said}`
  return { code: 'DecidedFailed', message, path, isSettled: true }
}
