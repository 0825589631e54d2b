import { type JsonPath, valueAt } from '../../core/json.ts'
import { catchPath, type Plan, type StepPlan } from '../../core/plan/index.ts'
import { readSource, type Source } from '../../load/yaml/index.ts'
import { stepPaths } from '../file/call-paths.ts'

/** Something of a runbook that tests can reach. */
export type CoveragePoint = {
  /** Of the step, without positions. */
  readonly path: string
  /** In the runbook. */
  readonly line: number
} & (
  | { readonly kind: 'step' | 'if true' | 'if false' }
  | { readonly kind: 'branch'; readonly branch: number }
  | { readonly kind: 'catch'; readonly steps: readonly string[]; readonly codes: readonly string[] }
  | { readonly kind: 'retry'; readonly code: string }
)

/** A child runbook, and under which paths the steps of a plan run it. */
export interface ChildUse {
  /** Its path, from the folder of the runbook that was loaded. */
  readonly key: string
  readonly plan: Plan
  /** Each ends with a slash. */
  readonly prefixes: readonly string[]
}

/** The child runbooks of a plan, those of its children included, in the order of their first use. */
export function childUses(plan: Plan): readonly ChildUse[] {
  const uses = new Map<string, ChildUse & { readonly prefixes: string[] }>()
  for (const [path, step] of stepPaths(plan)) {
    const key = step.kind === 'uses' ? step.uses.runbook : undefined
    const child = key === undefined ? undefined : plan.children?.[key]
    if (key === undefined || !child) continue
    const use = uses.get(key) ?? { key, plan: child, prefixes: [] }
    use.prefixes.push(`${path}/`)
    uses.set(key, use)
  }
  return [...uses.values()]
}

/** The lines of the steps of a runbook itself, by their paths. */
export function stepLines(plan: Plan, text: string): ReadonlyMap<string, number> {
  const points = coveragePoints(plan, readSource(text)).filter(({ kind }) => kind === 'step')
  return new Map(points.map(({ path, line }) => [path, line]))
}

/** The points of a runbook: steps, both values of conditions, branches, catch entries, and codes named in `retry.errors`. */
export function coveragePoints(plan: Plan, source: Source): readonly CoveragePoint[] {
  const points: CoveragePoint[] = []
  const lineOf = (at: JsonPath): number => source.rangeOf(at).start.line
  const visitAll = (steps: readonly StepPlan[], prefix: string, at: JsonPath): void => {
    for (const [index, step] of steps.entries()) visit(step, `${prefix}${step.id}`, [...at, index])
  }
  const visit = (step: StepPlan, path: string, at: JsonPath): void => {
    const line = lineOf(at)
    points.push({ kind: 'step', path, line })
    if (step.if !== undefined) {
      const own = lineOf([...at, 'if'])
      points.push({ kind: 'if true', path, line: own }, { kind: 'if false', path, line: own })
    }
    if (step.kind === 'uses') {
      const named = valueAt(source.value, [...at, 'retry', 'errors'])
      for (const [index, code] of (Array.isArray(named) ? named : []).entries()) {
        points.push({
          kind: 'retry',
          path,
          line: lineOf([...at, 'retry', 'errors', index]),
          code: String(code),
        })
      }
    } else if (step.kind === 'block') {
      visitAll(step.steps, `${path}/`, [...at, 'steps'])
      visitAll(step.finally ?? [], `${path}/`, [...at, 'finally'])
    } else if (step.kind === 'parallel') visitAll(step.branches, `${path}/`, [...at, 'parallel'])
    else {
      for (const [branch, choice] of step.choices.entries()) {
        points.push({ kind: 'branch', path, line: lineOf([...at, 'choose', branch]), branch })
        visitAll(choice.steps, `${path}/`, [...at, 'choose', branch, 'steps'])
      }
    }
    const prefix = `${catchPath(step, path)}/`
    for (const [index, entry] of (step.catch ?? []).entries()) {
      const place = [...at, 'catch', index]
      const steps = entry.steps.map(({ id }) => `${prefix}${id}`)
      const codes = entry.errors === 'all' ? [] : entry.errors
      points.push({ kind: 'catch', path, line: lineOf(place), steps, codes })
      visitAll(entry.steps, prefix, [...place, 'steps'])
    }
  }
  visitAll(plan.steps, '', ['steps'])
  visitAll(plan.finally ?? [], '', ['finally'])
  return points
}
