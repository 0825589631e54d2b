import type { ActionDescription } from '../../core/action.ts'
import { builtinActions } from '../../core/builtins/index.ts'
import type { JsonPath, JsonSchema } from '../../core/json.ts'
import { everyStep, type Plan, stepPathOf } from '../../core/plan/index.ts'
import { compileOwn, findingPlace, type Source, schemaFindings } from '../../load/yaml/index.ts'
import { stepPaths } from './call-paths.ts'
import { relaxedSchema } from './relaxed-schema.ts'
import { wordsOfAction } from './subject-words.ts'
import type { CallScript, Setting, TestFile } from './test-file.ts'

/** Finds scripted outputs and expected arguments that the schemas of their actions do not allow. */
export function checkScripts(
  source: Source,
  document: TestFile,
  plan: Plan,
  actions: readonly ActionDescription[],
): void {
  const steps = stepPaths(plan)
  const called = new Set(
    everyStep(plan).flatMap((step) => (step.kind === 'uses' ? [step.uses.action.name] : [])),
  )
  const known = new Map([...builtinActions, ...actions].map((action) => [action.name, action]))
  const actionOf = (name: string): ActionDescription | undefined => {
    const step = steps.get(stepPathOf(name))
    if (step?.kind === 'uses') return known.get(step.uses.action.name)
    return called.has(name) ? known.get(name) : undefined
  }
  const checkSetting = ({ calls = {} }: Setting, at: JsonPath): void => {
    for (const [name, script] of Object.entries(calls)) {
      const action = actionOf(name)
      const list = Array.isArray(script) ? script : undefined
      const place = [...at, 'calls', name]
      for (const [index, one] of (list ?? [script as CallScript]).entries())
        checkOutput(source, action, one, list ? [...place, index] : place)
    }
  }
  if (document.defaults) checkSetting(document.defaults, ['defaults'])
  document.tests.forEach((test, index) => {
    checkSetting(test, ['tests', index])
    for (const [name, input] of Object.entries(test.expect.sent ?? {})) {
      const action = actionOf(name)
      if (action)
        check(source, action.input, input, ['tests', index, 'expect', 'sent', name], 'WRONG_ARGUMENT')
    }
  })
}

function checkOutput(
  source: Source,
  action: ActionDescription | undefined,
  script: CallScript,
  at: JsonPath,
): void {
  const given = (['output', 'error', 'recording'] as const).filter((key) => script[key] !== undefined)
  if (given.length > 1) {
    const message = `a call has one result, and this one has ${given.join(' and ')}`
    source.add('WRONG_VALUE', at, message, 'for several attempts, write a list')
  }
  const more =
    script.recording === undefined
      ? []
      : (['takes', 'file'] as const).filter((key) => script[key] !== undefined)
  for (const key of more) {
    const message = `a recording has its own time and result: it takes no "${key}"`
    source.add('WRONG_VALUE', { key: [...at, key] }, message)
  }
  if (action && script.output !== undefined)
    check(source, action.output, script.output, [...at, 'output'], 'WRONG_VALUE')
}

const validators = new WeakMap<JsonSchema, ReturnType<typeof compileOwn>>()

function check(
  source: Source,
  schema: JsonSchema,
  value: unknown,
  at: JsonPath,
  code: 'WRONG_VALUE' | 'WRONG_ARGUMENT',
): void {
  const validate = validators.get(schema) ?? compileOwn(relaxedSchema(schema))
  validators.set(schema, validate)
  for (const problem of schemaFindings(validate, value, [], wordsOfAction)) {
    const path = [...at, ...problem.path]
    const found = problem.code === 'UNKNOWN_KEY' ? 'UNKNOWN_FIELD' : code
    source.add(found, findingPlace(path, problem.isAboutKey), problem.message, problem.hint)
  }
}
