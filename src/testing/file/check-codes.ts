import type { ActionDescription } from '../../core/action.ts'
import { errorRules } from '../../core/errors.ts'
import type { JsonPath } from '../../core/json.ts'
import { everyStep, type Plan } from '../../core/plan/index.ts'
import { nearest } from '../../core/text/index.ts'
import type { Source } from '../../load/yaml/index.ts'
import type { CallScript, Setting, TestFile } from './test-file.ts'

/**
 * Warns of codes of errors that are like a known one: a test that scripts and expects the same misspelled code passes.
 * Others can be codes of actions that are not known here.
 */
export function checkCodes(
  source: Source,
  { defaults, tests }: TestFile,
  plan: Plan,
  actions: readonly ActionDescription[],
): void {
  const known = new Set([
    ...Object.keys(errorRules),
    ...actions.flatMap(({ errors = [] }) => errors),
    ...everyStep(plan).flatMap(failCode),
  ])
  const check = (code: string | undefined, at: JsonPath): void => {
    const near = code === undefined || known.has(code) ? undefined : nearest(code, [...known])
    if (near === undefined) return
    const message = `no known error has the code "${code}"`
    source.warn('UNKNOWN_ERROR_CODE', at, message, `did you mean "${near}"?`)
  }
  const checkSetting = ({ calls = {} }: Setting, at: JsonPath): void => {
    for (const [name, script] of Object.entries(calls)) {
      const isList = Array.isArray(script)
      for (const [index, { error }] of ([script].flat() as readonly CallScript[]).entries()) {
        const place = [...at, 'calls', name, ...(isList ? [index] : []), 'error']
        if (typeof error === 'string') check(error, place)
        else check(error?.code, [...place, 'code'])
      }
    }
  }
  if (defaults) checkSetting(defaults, ['defaults'])
  for (const [index, test] of tests.entries()) {
    const at = ['tests', index] as const
    checkSetting(test, at)
    check(test.expect.error?.code, [...at, 'expect', 'error', 'code'])
    for (const [path, code] of Object.entries(test.expect.warnings ?? {}))
      check(code, [...at, 'expect', 'warnings', path])
  }
}

/** The code of a step that fails the run. */
function failCode(step: ReturnType<typeof everyStep>[number]): readonly string[] {
  if (step.kind !== 'uses' || step.uses.action.name !== 'core/fail') return []
  const given = step.uses.with
  if (given?.kind === 'literal') return codeIn(given.value)
  const code = given?.kind === 'object' ? given.entries.find(([key]) => key === 'code')?.[1] : undefined
  return code?.kind === 'literal' ? [String(code.value)] : []
}

function codeIn(value: unknown): readonly string[] {
  const { code } = (value ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? [code] : []
}
