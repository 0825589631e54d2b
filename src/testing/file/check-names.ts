import { listeningSteps } from '../../core/hooks/index.ts'
import { isJsonObject, type JsonPath } from '../../core/json.ts'
import { everyStep, type ListenPlan, type Plan, type StepPlan, stepPathOf } from '../../core/plan/index.ts'
import { suggest } from '../../core/text/index.ts'
import { parseDuration } from '../../core/times/index.ts'
import { findingPlace, type Source } from '../../load/yaml/index.ts'
import { stepPaths } from './call-paths.ts'
import type { EventScript, Expectations, Setting, TestFile } from './test-file.ts'

interface Names {
  readonly source: Source
  readonly steps: ReadonlyMap<string, StepPlan>
  readonly actions: ReadonlySet<string>
  /** What steps listen to. */
  readonly listens: readonly Pick<ListenPlan, 'hook' | 'callback'>[]
  /** The names of the outputs. Undefined: an expression gives them. */
  readonly outputs: readonly string[] | undefined
}

/** Finds names of steps, calls and actions that the runbook does not have. */
export function checkNames(source: Source, document: TestFile, plan: Plan): void {
  const names: Names = {
    source,
    steps: stepPaths(plan),
    actions: new Set(
      everyStep(plan).flatMap((step) => (step.kind === 'uses' ? [step.uses.action.name] : [])),
    ),
    listens: listeningSteps(plan),
    outputs: outputNames(plan),
  }
  if (document.defaults) checkSetting(names, document.defaults, ['defaults'])
  document.tests.forEach((test, index) => {
    const at = ['tests', index] as const
    checkSetting(names, test, at)
    checkExpectations(names, test.expect, [...at, 'expect'])
    checkOutputs(names, test.expect, [...at, 'expect'])
    checkCancel(names, test.cancel, [...at, 'cancel'])
  })
}

function checkSetting(names: Names, { calls = {}, answers = {}, events = [] }: Setting, at: JsonPath): void {
  for (const name of Object.keys(calls)) checkCall(names, name, [...at, 'calls', name], true)
  for (const name of Object.keys(answers)) checkQuestion(names, name, [...at, 'answers', name])
  for (const [index, event] of events.entries()) checkEvent(names, event, [...at, 'events', index])
}

/** A duration, an attempt, or a step that asks. */
function checkCancel(names: Names, cancel: string | undefined, at: JsonPath): void {
  if (cancel === undefined || parseDuration(cancel) !== undefined) return
  const [step = ''] = cancel.split('#')
  checkStep(names, step, at, false)
}

/** An event that no step listens to would be lost without a word. */
function checkEvent({ listens, source }: Names, { hook, callback }: EventScript, at: JsonPath): void {
  const [kind, name] =
    callback === undefined ? (['hook', hook ?? ''] as const) : (['callback', callback] as const)
  const known = listens.flatMap((step) => step[kind] ?? [])
  if (known.includes(name)) return
  const message = `no step listens to the ${kind} "${name}"`
  const hint = known.length === 0 ? `no step of the runbook listens to a ${kind}` : suggest(name, known)
  source.add('UNKNOWN_HOOK', [...at, kind], message, hint)
}

/** The runbook states its outputs; of what is inside them less is known. */
function checkOutputs({ outputs, source }: Names, expected: Expectations, at: JsonPath): void {
  for (const name of Object.keys(expected.outputs ?? {})) {
    if (outputs === undefined || outputs.includes(name)) continue
    const message = `the runbook has no output "${name}"`
    const hint = outputs.length === 0 ? 'it has no outputs' : suggest(name, outputs)
    source.add('UNKNOWN_FIELD', { key: [...at, 'outputs', name] }, message, hint)
  }
}

function checkExpectations(names: Names, expected: Expectations, at: JsonPath): void {
  const { calls = [], never = [], error, asked = {} } = expected
  for (const [index, name] of calls.entries()) checkStep(names, name, [...at, 'calls', index], false)
  for (const [index, name] of never.entries()) checkCall(names, name, [...at, 'never', index], false)
  for (const key of ['sent', 'attempts', 'steps', 'warnings'] as const)
    for (const name of Object.keys(expected[key] ?? {})) checkStep(names, name, [...at, key, name], true)
  for (const name of Object.keys(asked)) checkQuestion(names, name, [...at, 'asked', name])
  if (error?.path !== undefined) checkStep(names, error.path, [...at, 'error', 'path'], false)
}

function outputNames({ outputs }: Plan): readonly string[] | undefined {
  if (outputs === undefined) return []
  if (outputs.kind === 'object') return outputs.entries.map(([name]) => name)
  return outputs.kind === 'literal' && isJsonObject(outputs.value) ? Object.keys(outputs.value) : undefined
}

/** A call is named by its path, or by its action. */
function checkCall(names: Names, name: string, at: JsonPath, isKey: boolean): void {
  const { steps, actions, source } = names
  if (steps.has(stepPathOf(name)) || actions.has(name)) return
  const known = [...steps.keys(), ...actions]
  const isAction = /^[a-z0-9-]+\/[a-z0-9/-]+$/.test(name) && name.includes('-')
  const code = isAction ? 'UNKNOWN_ACTION' : 'UNKNOWN_STEP'
  const message = `the runbook has no step or action "${name}"`
  source.add(code, findingPlace(at, isKey), message, suggestCall(names, name, known))
}

function checkStep(names: Names, name: string, at: JsonPath, isKey: boolean): void {
  const { steps, source } = names
  if (steps.has(stepPathOf(name))) return
  const hint = suggestCall(names, name, [...steps.keys()])
  source.add('UNKNOWN_STEP', findingPlace(at, isKey), `the runbook has no step "${name}"`, hint)
}

/** An id alone means the step inside of a block that has it. */
function suggestCall({ steps }: Names, name: string, known: readonly string[]): string {
  const [inner, ...others] = [...steps.keys()].filter((path) => path.endsWith(`/${name}`))
  return inner !== undefined && others.length === 0 ? `did you mean "${inner}"?` : suggest(name, known)
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
  source.add('UNKNOWN_STEP', { key: at }, message, hint)
}
