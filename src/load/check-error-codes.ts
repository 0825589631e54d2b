import { errorRules } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { CompileContext } from './compile/context.ts'
import type { JsonPath } from './json-path.ts'
import { isUndecided } from './yaml/unreadable.ts'

const known = Object.keys(errorRules)

/** Warns of codes that nobody knows: the service's sets are open, so it is no error. `all` is for `catch` alone. */
export function checkErrorCodes(
  { source, actions, children }: Pick<CompileContext, 'source' | 'actions' | 'children'>,
  codes: readonly unknown[] | undefined,
  path: JsonPath,
): void {
  for (const [index, code] of (codes ?? []).entries()) {
    if (typeof code !== 'string' || known.includes(code)) continue
    if (isUndecided(code) || (code === 'all' && path.includes('catch'))) continue
    const ofActions = [...actions.values()].flatMap(({ errors = [] }) => errors)
    if (ofActions.includes(code)) continue
    const near = nearest(code, [...known, ...ofActions])
    // It may be a code of an action that is not loaded.
    if (near === undefined && code !== 'all' && children.family.notLoaded.length > 0) continue
    const at = [...path, index]
    const hint =
      code === 'all'
        ? 'leave "errors" out: all transient ones are repeated'
        : near === undefined
          ? 'the reference lists the known codes'
          : `did you mean "${near}"?`
    const message = `no known error has the code "${code}"`
    source.findings.warn('UNKNOWN_ERROR_CODE', at, source.rangeOf(at), message, hint)
  }
}
