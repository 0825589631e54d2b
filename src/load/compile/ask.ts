import type { ActionDescription } from '../../core/action.ts'
import { listOf, mapOf, textType, typeOfSchema, type ValueType } from '../../core/expressions/index.ts'
import {
  isJsonObject,
  type JsonObject,
  type JsonPath,
  type JsonSchema,
  type JsonValue,
} from '../../core/json.ts'
import { answerProblem, valueProblem } from '../../core/people/index.ts'
import { nearest } from '../../core/text/index.ts'
import { checkTypes } from '../arguments/check-types.ts'
import { expressionPaths } from '../expressions/segments.ts'
import type { Source } from '../source.ts'
import { hasUnreadable, readablePart } from '../yaml/findings.ts'
import { checkAnswerSchema, refuseExpressions } from './check-answer-schema.ts'
import { checkShownAnswers } from './check-shown-answers.ts'
import type { CompileContext } from './context.ts'
import type { TypeScope } from './scope.ts'
import { type Compiled, compileTemplate } from './template.ts'

/** What a `core/ask` step asks for, and what it leaves behind. */
export interface CompiledAsk {
  readonly given: Compiled
  readonly outputs: ValueType
}

/** Compiles the arguments of `core/ask`: the schema of the answer is written out, and is the type of `answer`. */
export function compileAsk(
  context: CompileContext,
  values: unknown,
  path: JsonPath,
  scope: TypeScope,
): CompiledAsk | undefined {
  const { source } = context
  if (!isJsonObject(values)) return undefined
  const { answer, ...rest } = values
  if (!isJsonObject(answer)) {
    if (typeof answer === 'string') refuseExpressions(source, answer, [...path, 'answer'])
    return undefined
  }
  const given = compileTemplate(context, rest, path, scope)
  const schema = readablePart(answer)
  const isSound = checkAnswerSchema(source, schema, [...path, 'answer'])
  if (isSound) {
    checkChoices(source, rest, schema, given, path)
    checkDefault(source, rest, schema, given, path)
    checkShownAnswers(context, given, path)
  }
  return { given: withAnswer(given, schema), outputs: outputsFor(isSound ? schema : {}) }
}

function withAnswer(given: Compiled, answer: JsonSchema): Compiled {
  const { template } = given
  const value = answer as JsonObject
  if (template.kind === 'literal')
    return {
      ...given,
      template: { kind: 'literal', value: { ...(template.value as JsonObject), answer: value } },
    }
  if (template.kind !== 'object') return given
  return {
    ...given,
    template: { ...template, entries: [...template.entries, ['answer', { kind: 'literal', value }]] },
  }
}

function outputsFor(schema: JsonSchema): ValueType {
  const answer = typeOfSchema({ additionalProperties: false, ...schema }, { isExact: true })
  const fields = {
    answer: { type: answer },
    by: { type: textType },
    at: { type: textType },
    comment: { type: textType, isOptional: true, because: 'the person may have written none' },
  }
  return mapOf({ ...fields, answers: { type: listOf(mapOf(fields)) } })
}

const choosable: ReadonlySet<unknown> = new Set(['string', 'number', 'integer'])

/** Choices are for texts and numbers, and lists of them. */
function checkChoices(
  source: Source,
  { choices }: JsonObject,
  schema: JsonSchema,
  given: Compiled,
  path: JsonPath,
): void {
  const compiled = given.parts?.['choices']
  if (!isJsonObject(choices) || !compiled) return
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const lists: Record<string, JsonSchema> = {}
  for (const field of Object.keys(choices)) {
    const at = [...path, 'choices', field]
    const property = Object.hasOwn(properties, field) ? properties[field] : undefined
    const known = Object.keys(properties)
    if (!property) {
      const near = nearest(field, known)
      const hint =
        near === undefined ? `its fields: ${known.join(', ') || 'none'}` : `did you mean "${near}"?`
      source.add('UNKNOWN_ARGUMENT', { key: at }, `the answer has no field "${field}"`, hint)
      continue
    }
    const items = property['type'] === 'array' ? property['items'] : property
    if (isJsonObject(items) && choosable.has(items['type'])) {
      lists[field] = { type: 'array', items: { type: items['type'] } }
      const written = choices[field]
      const problem =
        Array.isArray(written) && !isOpen(written, at)
          ? valueProblem(lists[field], written, field)
          : undefined
      if (problem) source.add('WRONG_ARGUMENT', at, `choices.${problem.path} ${problem.message}`)
      continue
    }
    const message = `"${field}" has no choices: only texts, numbers and lists of them have`
    source.add('WRONG_ARGUMENT', { key: at }, message, 'leave it out, or change its type')
  }
  checkTypes(source, { properties: lists }, compiled, choices, [...path, 'choices'])
}

/** A default that does not fit would fail each run that relies on it. */
function checkDefault(
  source: Source,
  { default: standard, choices, ...rest }: JsonObject,
  schema: JsonSchema,
  given: Compiled,
  path: JsonPath,
): void {
  if (standard === undefined) {
    if (rest['on-timeout'] !== 'default') return
    const message = 'without a "default" nothing can be the answer'
    source.add('MISSING_ARGUMENT', [...path, 'on-timeout'], message, 'such as default: { … }')
    return
  }
  const at = [...path, 'default']
  const compiled = given.parts?.['default']
  if (compiled) checkTypes(source, schema, compiled, standard, at)
  if (isOpen(standard, at)) return
  const known = isJsonObject(choices)
    ? Object.fromEntries(
        Object.entries(choices).filter(([, list]) => Array.isArray(list) && !isOpen(list, [])),
      )
    : {}
  const closed = { additionalProperties: false, ...schema }
  const asked = { schema: closed, choices: known as Readonly<Record<string, readonly JsonValue[]>> }
  const problem = answerProblem(asked, standard)
  if (problem !== undefined) source.add('WRONG_DEFAULT', at, problem.replace(/^answer/, 'default'))
}

function isOpen(value: JsonValue, path: JsonPath): boolean {
  return hasUnreadable(value) || expressionPaths(value, path).length > 0
}

/** Who may answer is part of the plan: `plan` shows it, and no value of a run changes it. */
export function checkPolicy(
  source: Source,
  { name }: ActionDescription,
  values: unknown,
  path: JsonPath,
): void {
  if (name !== 'core/ask' && name !== 'core/approve') return
  const from = isJsonObject(values) ? values['from'] : undefined
  const at = [...path, 'from']
  for (const place of expressionPaths((from ?? null) as JsonValue, at)) {
    const message = 'who may answer is written out: no value of a run decides it'
    source.add('EXPRESSION_NOT_ALLOWED', place, message)
  }
}
