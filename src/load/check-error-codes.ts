import { errorRules } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { JsonPath } from './json-path.ts'
import type { Source } from './source.ts'

/** Warns of codes that nobody knows. The service's sets are open, so it is no error. */
export function checkErrorCodes(source: Source, codes: readonly string[] | undefined, path: JsonPath): void {
  const known = Object.keys(errorRules)
  for (const [index, code] of (codes ?? []).entries()) {
    if (known.includes(code)) continue
    const near = nearest(code, known)
    const at = [...path, index]
    const hint = near === undefined ? 'the reference lists the known codes' : `did you mean "${near}"?`
    source.findings.warn(
      'UNKNOWN_ERROR_CODE',
      at,
      source.rangeOf(at),
      `no known error has the code "${code}"`,
      hint,
    )
  }
}
