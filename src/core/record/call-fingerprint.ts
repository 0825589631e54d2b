import type { CallRequest } from '../host/host.ts'
import type { JsonValue } from '../json.ts'

/** What a call asks of its action: equal for two calls where one would do what the other has done. */
export function callFingerprint({
  input,
  saveAs,
  connection,
  secrets,
}: Pick<CallRequest, 'input' | 'saveAs' | 'connection' | 'secrets'>): JsonValue {
  return {
    input,
    save_as: saveAs ?? null,
    ...(connection === undefined ? {} : { connection }),
    // Names only: the values are not known here.
    ...(secrets === undefined ? {} : { secrets: secrets.map(({ name, path }) => [name, ...path]) }),
  }
}
