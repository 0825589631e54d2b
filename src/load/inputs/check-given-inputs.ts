import { evaluateTemplate } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonPath, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { nearest, quote, suggest } from '../../core/text/index.ts'
import type { SchemaProblem } from '../../schema/index.ts'
import { checkTypes } from '../arguments/check-types.ts'
import type { Compiled } from '../compile/template.ts'
import { schemaFindings } from '../schema-problems.ts'
import { findingPlace, type Source } from '../source.ts'
import { isUnknownYet } from '../yaml/findings.ts'
import { inputValidator } from './check-default.ts'
import { declaredInputs } from './declared-inputs.ts'

/**
 * Checks the inputs that a trigger or a step gives to a runbook: names, what is missing, what is written out against
 * the schema, expressions by the type of their value.
 */
export function checkGivenInputs(
  source: Source,
  schema: JsonSchema | undefined,
  compiled: Compiled,
  given: unknown,
  path: JsonPath,
): void {
  const { properties = {}, required = [], additionalProperties = false, patternProperties } = schema ?? {}
  const declared = isJsonObject(properties) ? properties : {}
  const values = isJsonObject(given) ? given : undefined
  if (!values) return
  const isOpen = additionalProperties !== false || patternProperties !== undefined
  const names = declaredInputs(schema ?? {})
  const misspelled = new Set<string | undefined>()
  for (const [name, value] of Object.entries(values)) {
    const at = [...path, name]
    const property = Object.hasOwn(declared, name) ? declared[name] : undefined
    if (!names.includes(name) && !isOpen) {
      misspelled.add(nearest(name, names))
      addUnknown(source, name, names, at)
    }
    const part = compiled.parts?.[name]
    if (!isJsonObject(property)) continue
    if (part) checkTypes(source, property, part, value, at)
    checkValue(source, schema ?? {}, property, part, value, at, name)
  }
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name !== 'string' || Object.hasOwn(values, name) || hasDefault(declared[name])) continue
    if (misspelled.has(name)) continue
    const message = `the runbook needs the input "${name}"`
    source.add('MISSING_INPUT', path, message, `with: { ${name}: … }`)
  }
}

function addUnknown(source: Source, name: string, declared: readonly string[], at: JsonPath): void {
  const hint = declared.length === 0 ? 'the runbook declares no inputs' : suggest(name, declared)
  source.add('UNKNOWN_INPUT', { key: at }, `the runbook has no input "${name}"`, hint)
}

function checkValue(
  source: Source,
  root: JsonSchema,
  schema: JsonSchema,
  part: Compiled | undefined,
  value: unknown,
  at: JsonPath,
  name: string,
): void {
  // A schema that cannot be compiled has been told about where it stands.
  if (source.findings.list.some(({ code }) => code.endsWith('_SCHEMA'))) return
  const validate = inputValidator(root, schema, ['properties', name])
  if (isWholeUndecided(value)) {
    checkPossible(source, part, (one) => schemaFindings(validate, one, [name]), at)
    return
  }
  for (const problem of schemaFindings(validate, value, [name])) {
    const place = [...at, ...problem.path]
    source.add('WRONG_INPUT', findingPlace(place, problem.isAboutKey), problem.message, problem.hint)
  }
}

/** An expression of which the values are known is wrong where none of them fits; of a wrong kind it has been told. */
function checkPossible(
  source: Source,
  part: Compiled | undefined,
  problemsOf: (value: JsonValue) => readonly SchemaProblem[],
  at: JsonPath,
): void {
  if (part?.template.kind !== 'expression') return
  const evaluated = evaluateTemplate(part.template, {})
  const values = evaluated.state === 'known' ? [evaluated.value] : (part.type.values ?? [])
  const found = values.map(problemsOf)
  const [problem] = found[0] ?? []
  if (problem === undefined || problem.code === 'WRONG_TYPE' || found.some((one) => one.length === 0)) return
  const shown =
    values.length === 1 ? `: it is ${quote(values[0])}` : `, whichever of its ${values.length} values it has`
  source.add('WRONG_INPUT', at, `${problem.message}${shown}`, problem.hint)
}

function isWholeUndecided(value: unknown): boolean {
  return typeof value === 'string' && isUnknownYet(value)
}

function hasDefault(schema: unknown): boolean {
  return isJsonObject(schema) && Object.hasOwn(schema, 'default')
}
