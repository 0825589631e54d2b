import type { ActionDescription, Safety } from '../../core/action.ts'
import { shownInput } from '../../core/calls/index.ts'
import type { CallRequest } from '../../core/host/index.ts'

/** In bytes. Larger requests are recorded by their size only: of a write for a person who decides, of a read to be seen. */
const mostOf = { write: 64 * 1024, read: 16 * 1024 }

/**
 * The request of a call as JSON for the record: secrets by their names, sensitive arguments masked. Undefined for a local
 * action, whose arguments are its outputs.
 */
export function sentText(
  { input, secrets, saveAs, connection }: CallRequest,
  { sensitiveInput, isLocal }: ActionDescription,
  safety: Safety,
): string | undefined {
  if (isLocal) return undefined
  const more = {
    ...(saveAs === undefined ? {} : { save_as: saveAs }),
    ...(connection === undefined ? {} : { connection }),
    ...(safety === 'read' ? { is_read: true } : {}),
  }
  const text = JSON.stringify({ input: shownInput(input, sensitiveInput, secrets), ...more })
  const bytes = Buffer.byteLength(text)
  return bytes <= mostOf[safety === 'read' ? 'read' : 'write'] ? text : JSON.stringify({ bytes, ...more })
}
