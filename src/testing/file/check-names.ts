import { suggest } from '../../core/nearest.ts'
import type { Plan, StepPlan } from '../../core/plan.ts'
import { everyStep } from '../../core/plan-walk.ts'
import type { JsonPath, Source } from '../../load/yaml/index.ts'
import { stepPathOf, stepPaths } from './call-paths.ts'
import type { Expectations, Setting, TestFile } from './test-file.ts'

interface Names {
  readonly source: Source
  readonly steps: ReadonlyMap<string, StepPlan>
  readonly actions: ReadonlySet<string>
}

/** Finds names of steps, calls and actions that the runbook does not have. */
export function checkNames(source: Source, document: TestFile, plan: Plan): void {
  const names: Names = {
    source,
    steps: stepPaths(plan),
    actions: new Set(
      everyStep(plan).flatMap((step) => (step.kind === 'uses' ? [step.uses.action.name] : [])),
    ),
  }
  if (document.defaults) checkSetting(names, document.defaults, ['defaults'])
  document.tests.forEach((test, index) => {
    const at = ['tests', index] as const
    checkSetting(names, test, at)
    checkExpectations(names, test.expect, [...at, 'expect'])
    if (test.cancel?.includes('#'))
      checkStep(names, test.cancel.split('#')[0] ?? '', [...at, 'cancel'], false)
  })
}

function checkSetting(names: Names, { calls = {}, answers = {} }: Setting, at: JsonPath): void {
  for (const name of Object.keys(calls)) checkCall(names, name, [...at, 'calls', name], true)
  for (const name of Object.keys(answers)) checkQuestion(names, name, [...at, 'answers', name])
}

function checkExpectations(names: Names, expected: Expectations, at: JsonPath): void {
  const { calls = [], never = [], error, asked = {} } = expected
  for (const [index, name] of calls.entries()) checkStep(names, name, [...at, 'calls', index], false)
  for (const [index, name] of never.entries()) checkCall(names, name, [...at, 'never', index], false)
  for (const key of ['sent', 'attempts', 'steps', 'warnings'] as const) {
    for (const name of Object.keys(expected[key] ?? {})) checkStep(names, name, [...at, key, name], true)
  }
  for (const name of Object.keys(asked)) checkQuestion(names, name, [...at, 'asked', name])
  if (error?.path !== undefined) checkStep(names, error.path, [...at, 'error', 'path'], false)
}

/** A call is named by its path, or by its action. */
function checkCall(names: Names, name: string, at: JsonPath, isKey: boolean): void {
  const { steps, actions, source } = names
  if (steps.has(stepPathOf(name)) || actions.has(name)) return
  const known = [...steps.keys(), ...actions]
  const isAction = /^[a-z0-9-]+\/[a-z0-9/-]+$/.test(name) && name.includes('-')
  const code = isAction ? 'UNKNOWN_ACTION' : 'UNKNOWN_STEP'
  const range = isKey ? source.rangeOfKey(at) : source.rangeOf(at)
  source.findings.add(code, at, range, `the runbook has no step or action "${name}"`, suggest(name, known))
}

function checkStep({ steps, source }: Names, name: string, at: JsonPath, isKey: boolean): void {
  if (steps.has(stepPathOf(name))) return
  const range = isKey ? source.rangeOfKey(at) : source.rangeOf(at)
  source.findings.add(
    'UNKNOWN_STEP',
    at,
    range,
    `the runbook has no step "${name}"`,
    suggest(name, [...steps.keys()]),
  )
}

/** The steps that ask people. */
const asking: ReadonlySet<string> = new Set(['core/approve', 'core/ask'])

function checkQuestion(names: Names, name: string, at: JsonPath): void {
  const { steps, source } = names
  const step = steps.get(stepPathOf(name))
  if (step?.kind === 'uses' && asking.has(step.uses.action.name)) return
  const known = [...steps].flatMap(([path, one]) =>
    one.kind === 'uses' && asking.has(one.uses.action.name) ? [path] : [],
  )
  const message = step ? `the step "${name}" asks nothing` : `the runbook has no step "${name}"`
  const hint = known.length === 0 ? 'no step of the runbook asks' : suggest(name, known)
  source.findings.add('UNKNOWN_STEP', at, source.rangeOfKey(at), message, hint)
}
