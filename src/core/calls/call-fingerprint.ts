import type { JsonObject, JsonValue } from '../json.ts'
import type { SecretPosition } from '../plan/plan.ts'

/** What a call asks of its action. */
export interface AskedCall {
  readonly input: JsonObject
  /**
   * Relative path of the artifact the call writes. An action that writes no file itself answers with its whole output,
   * and the host writes that as JSON and answers `path`, `bytes` and `sha256` instead.
   */
  readonly saveAs?: string
  /** Name of the connection; left out: the default one. */
  readonly connection?: string
  /** Secrets to put into the input, outside everything that is recorded. */
  readonly secrets?: readonly SecretPosition[]
}

/** Equal for two calls where one would do what the other has done. */
export function callFingerprint({ input, saveAs, connection, secrets }: AskedCall): JsonValue {
  return {
    input,
    save_as: saveAs ?? null,
    ...(connection === undefined ? {} : { connection }),
    // Names only: the values are not known here.
    ...(secrets === undefined ? {} : { secrets: secrets.map(({ name, path }) => [name, ...path]) }),
  }
}
