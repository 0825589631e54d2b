import {
  anyType,
  canBe,
  describeKinds,
  eitherOf,
  itemsOf,
  type ValueType,
} from '../../core/expressions/index.ts'
import type { JsonPath } from '../../core/json.ts'
import { nearest } from '../../core/text/index.ts'
import type { StepKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'
import { texts } from './policies.ts'

/** The paths into the outputs of a step that its `sensitive` names. A path that cannot lead anywhere is a finding. */
export function compileSensitive(
  source: Source,
  step: StepKeys,
  path: JsonPath,
  outputs: ValueType,
): readonly string[] {
  const written = step.sensitive ?? []
  for (const [index, field] of written.entries()) {
    // An expression is refused elsewhere.
    if (typeof field !== 'string' || field.includes('${{')) continue
    const problem = problemOf(field, outputs)
    if (problem) source.add('UNKNOWN_FIELD', [...path, 'sensitive', index], problem.message, problem.hint)
  }
  return texts(written)
}

interface Problem {
  readonly message: string
  readonly hint: string
}

function problemOf(field: string, outputs: ValueType): Problem | undefined {
  if (/[[\]\s]/.test(field) || field.split('.').includes('')) {
    const message = `"${field}" is no path into the outputs`
    return { message, hint: 'names joined by dots, * for each item of a list: items.*.token' }
  }
  let type = outputs
  const before: string[] = []
  for (const name of field.split('.')) {
    const next = partOf(type, name)
    if (next === undefined) return missing(field, name, before.join('.'), type)
    type = next
    before.push(name)
  }
  return undefined
}

/** What is found under a name of a path; undefined where nothing can be. */
function partOf(type: ValueType, name: string): ValueType | undefined {
  if (type.kinds === undefined) return anyType
  const known = type.fields && Object.hasOwn(type.fields, name) ? type.fields[name]?.type : undefined
  const isOpen = type.fields === undefined || type.isOpen === true
  const parts = [
    ...(canBe(type, 'map') && known !== undefined ? [known] : []),
    ...(canBe(type, 'map') && known === undefined && (isOpen || name === '*') ? [anyType] : []),
    ...(canBe(type, 'list') && (name === '*' || /^\d+$/.test(name)) ? [itemsOf(type)] : []),
  ]
  return parts.length === 0 ? undefined : eitherOf(parts)
}

function missing(field: string, name: string, before: string, type: ValueType): Problem {
  const where = before === '' ? 'the outputs' : `"${before}"`
  if (canBe(type, 'list')) {
    const star = field.replace(`${before}.`, `${before}.*.`)
    return { message: `${where} is a list, and "${name}" is no position`, hint: `each item: ${star}` }
  }
  if (!canBe(type, 'map'))
    return {
      message: `${where} is ${describeKinds(type.kinds)} and has no field "${name}"`,
      hint: `mask all of it: ${before}`,
    }
  const known = Object.keys(type.fields ?? {})
  const near = nearest(name, known)
  const listed = known.length === 0 ? 'it has no fields' : `known: ${known.join(', ')}`
  const hint = near === undefined ? listed : `did you mean "${near}"?`
  return { message: `there is no field "${name}" in ${where}`, hint }
}
