import type { CatchPlan } from '../../core/plan.ts'
import { checkErrorCodes } from '../check-error-codes.ts'
import type { JsonPath } from '../json-path.ts'
import type { CatchKeys } from '../runbook-document.ts'
import type { CompileContext } from './context.ts'
import { addStep, errorType, type Scope, type StepFacts, withAbsentSteps, withNames } from './scope.ts'
import { compileSteps } from './steps.ts'

/** The step that a `catch` stands at: the names by which it is meant, and what is known of it. */
export interface FailedStep {
  readonly ids: readonly string[]
  readonly facts: StepFacts
}

/** `catch` sees the steps of its block, each of which may never have been reached, and the step that it stands at. */
export function compileCatch(
  context: CompileContext,
  entries: readonly (CatchKeys | undefined)[] | undefined,
  path: JsonPath,
  scope: Scope,
  inner: Scope,
  failed?: FailedStep,
): readonly CatchPlan[] | undefined {
  if (entries === undefined) return undefined
  const taken = new Set<unknown>()
  const visible = withNames(withAbsentSteps(scope, inner), { error: errorType })
  if (failed) addStep(visible, failed.ids, failed.facts)
  return entries.flatMap((entry, index): CatchPlan[] => {
    if (!entry) return []
    const entryPath = [...path, index]
    const codes = entry.errors ?? []
    checkErrorCodes(context, codes, [...entryPath, 'errors'])
    checkReach(context, codes, [...entryPath, 'errors'], taken)
    const { steps } = compileSteps(context, entry.steps ?? [], [...entryPath, 'steps'], visible)
    const errors = codes.filter((code) => typeof code === 'string')
    return [{ errors: errors.includes('all') ? 'all' : errors, steps }]
  })
}

/** The first entry that names a code counts: a later one for the same code is never reached. */
function checkReach(
  { source }: CompileContext,
  codes: readonly unknown[],
  path: JsonPath,
  taken: Set<unknown>,
): void {
  for (const [index, code] of codes.entries()) {
    if (typeof code !== 'string') continue
    const isReached = !taken.has('all') && !taken.has(code)
    if (!isReached) {
      const at = [...path, index]
      const message = `an entry before this one catches "${code}" already`
      source.findings.warn('NO_EFFECT', at, source.rangeOf(at), message, 'the first entry that fits counts')
    }
    taken.add(code)
  }
}
