import type { ActionDescription, Safety } from '../../core/action.ts'
import { shownInput } from '../../core/calls/index.ts'
import type { CallRequest } from '../../core/host/index.ts'

/** Larger requests are recorded by their size only. */
const mostBytes = 64 * 1024

/**
 * The request of a write as JSON for the record: secrets by their names, sensitive arguments masked. Undefined for a
 * read, and for a local action.
 */
export function sentText(
  { input, secrets, saveAs, connection }: CallRequest,
  { sensitiveInput, isLocal }: ActionDescription,
  safety: Safety,
): string | undefined {
  if (safety === 'read' || isLocal) return undefined
  const more = {
    ...(saveAs === undefined ? {} : { save_as: saveAs }),
    ...(connection === undefined ? {} : { connection }),
  }
  const text = JSON.stringify({ input: shownInput(input, sensitiveInput, secrets), ...more })
  const bytes = Buffer.byteLength(text)
  return bytes <= mostBytes ? text : JSON.stringify({ bytes, ...more })
}
