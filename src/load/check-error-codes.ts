import { errorRule, errorRules } from '../core/errors.ts'
import { isJsonObject, type JsonPath } from '../core/json.ts'
import { nearest } from '../core/text/index.ts'
import type { CompileContext } from './compile/context.ts'
import type { StepKeys } from './runbook-document.ts'
import { isUnknownYet, unreadableText } from './yaml/findings.ts'

const known = Object.keys(errorRules)

type CodeContext = Pick<CompileContext, 'source' | 'actions' | 'children' | 'failCodes'>

/** The codes that the `core/fail` steps of a runbook name, wherever they stand. */
export function failCodesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const { uses, with: given } = value as StepKeys
  const code = uses === 'core/fail' && isJsonObject(given) ? given['code'] : undefined
  return [...(typeof code === 'string' ? [code] : []), ...Object.values(value).flatMap(failCodesIn)]
}

/** Refuses a code of `core/fail` that has a meaning already, or none before the run. */
export function checkFailCode({ source }: CodeContext, given: unknown, path: JsonPath): void {
  const code = isJsonObject(given) ? given['code'] : given
  if (typeof code !== 'string' || code === unreadableText) return
  const at = isJsonObject(given) ? [...path, 'code'] : path
  if (isUnknownYet(code)) {
    const message =
      'the code is fixed when the runbook is loaded, so that "catch" can name it; it is written out'
    source.add('EXPRESSION_NOT_ALLOWED', at, message, 'such as code: NotReady')
  } else if (known.includes(code)) {
    const message = `"${code}" has a meaning of its own: ${errorRule(code).explanation}`
    source.add('WRONG_ARGUMENT', at, message, 'choose another name, such as NotReady')
  }
}

/** What to write instead of `all` among the errors of a `retry`. */
export const retryAll = 'leave "errors" out: all transient ones are repeated'

/** Warns of unknown codes: the service can have more, so it is no error. `all` is for `catch` alone. */
export function checkErrorCodes(
  { source, actions, children, failCodes }: CodeContext,
  codes: readonly unknown[] | undefined,
  path: JsonPath,
): void {
  for (const [index, code] of (codes ?? []).entries()) {
    if (typeof code !== 'string' || known.includes(code)) continue
    if (isUnknownYet(code) || (code === 'all' && path.includes('catch'))) continue
    const ofActions = [...actions.values()].flatMap(({ errors = [] }) => errors)
    if (ofActions.includes(code) || failCodes.has(code)) continue
    const near = nearest(code, [...known, ...ofActions, ...failCodes])
    // It may be a code of an action that is not loaded.
    if (near === undefined && code !== 'all' && children.family.notLoaded.length > 0) continue
    const hint =
      code === 'all'
        ? retryAll
        : near === undefined
          ? 'the reference lists the known codes'
          : `did you mean "${near}"?`
    const message = `no known error has the code "${code}"`
    source.warn('UNKNOWN_ERROR_CODE', [...path, index], message, hint)
  }
}
