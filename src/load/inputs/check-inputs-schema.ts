import { isJsonObject, type JsonPath, type JsonSchema } from '../../core/json.ts'
import { nearest } from '../../core/text/index.ts'
import { expressionPaths } from '../expressions/segments.ts'
import type { FindingPlace, Source } from '../source.ts'
import { checkInputDefault } from './check-default.ts'
import { checkKeyword, checkPattern, type KeywordProblem, resolveReference } from './check-keyword.ts'
import { whyImpossible } from './check-possible.ts'
import { schemaTypes, unsupported, vocabulary } from './vocabulary.ts'

interface Walk {
  readonly source: Source
  readonly root: JsonSchema
  readonly defaults: { readonly schema: JsonSchema; readonly path: JsonPath }[]
  readonly schemas: { readonly schema: JsonSchema; readonly path: JsonPath }[]
  isSound: boolean
}

/** Checks that `inputs` is a schema, keyword by keyword, so that each finding has its own position. */
export function checkInputsSchema(source: Source, inputs: JsonSchema): void {
  const walk: Walk = { source, root: inputs, defaults: [], schemas: [], isSound: true }
  walkSchema(walk, inputs, ['inputs'])
  const { type } = inputs
  if (walk.isSound && type !== undefined && type !== 'object') {
    const message = 'the inputs of a runbook are an object'
    fail(walk, ['inputs', 'type'], { code: 'INVALID_SCHEMA', message, hint: 'type: object' })
  }
  if (!walk.isSound) return
  const endless = findEndless(walk.schemas, inputs)
  if (endless) {
    const message =
      'checking a value against this schema would not end: it refers to itself, or to too many others'
    report(walk, endless, { code: 'UNSUPPORTED_SCHEMA', message })
    return
  }
  for (const { schema, path } of walk.defaults) checkInputDefault(source, inputs, schema, path)
}

function report({ source }: Walk, at: FindingPlace, { code, message, hint }: KeywordProblem): void {
  source.add(code, at, message, hint)
}

function fail(walk: Walk, at: FindingPlace, problem: KeywordProblem): void {
  walk.isSound = false
  report(walk, at, problem)
}

function walkSchema(walk: Walk, schema: unknown, path: JsonPath): void {
  if (typeof schema === 'boolean' && path.length > 1) return
  if (!isJsonObject(schema)) {
    fail(walk, path, {
      code: 'INVALID_SCHEMA',
      message: 'a schema is a map',
      hint: 'such as { type: string }',
    })
    return
  }
  walk.schemas.push({ schema, path })
  const wasSound = walk.isSound
  walk.isSound = true
  for (const [keyword, value] of Object.entries(schema)) {
    const at = [...path, keyword]
    const takes = vocabulary.get(keyword)
    if (takes === undefined) {
      fail(walk, { key: at }, unknownKeyword(keyword, value, path.length === 1))
      continue
    }
    if (takes === 'anything' || takes === 'some') checkFixed(walk, value, at)
    const problem = checkKeyword(keyword, takes, value, walk.root)
    if (problem) fail(walk, at, problem)
    else if (takes === 'schema') walkSchema(walk, value, at)
    else if (takes === 'schemas') walkList(walk, value, at)
    else if (takes === 'schema-or-list')
      Array.isArray(value) ? walkList(walk, value, at) : walkSchema(walk, value, at)
    else if (takes === 'schema-map' || takes === 'pattern-map')
      walkMap(walk, value, at, takes === 'pattern-map')
  }
  const impossible = walk.isSound ? whyImpossible(schema) : undefined
  if (impossible) fail(walk, [...path, impossible.keyword], impossible.problem)
  walk.isSound &&= wasSound
  if (Object.hasOwn(schema, 'default')) walk.defaults.push({ schema, path: [...path, 'default'] })
}

/** Nothing evaluates the values of a schema. */
function checkFixed(walk: Walk, value: unknown, path: JsonPath): void {
  for (const at of expressionPaths(value, path)) {
    walk.isSound = false
    const message = 'the schema of the inputs is fixed when the runbook is loaded and takes no expression'
    walk.source.add('EXPRESSION_NOT_ALLOWED', at, message)
  }
}

function walkList(walk: Walk, schemas: unknown, path: JsonPath): void {
  for (const [index, schema] of (schemas as readonly unknown[]).entries())
    walkSchema(walk, schema, [...path, index])
}

function walkMap(walk: Walk, schemas: unknown, path: JsonPath, hasPatterns: boolean): void {
  for (const [name, schema] of Object.entries(schemas as object)) {
    const problem = hasPatterns ? checkPattern(name) : undefined
    if (problem) fail(walk, { key: [...path, name] }, problem)
    walkSchema(walk, schema, [...path, name])
  }
}

/** `isFirst`: it stands where a map of a name to its schema would. */
function unknownKeyword(keyword: string, value: unknown, isFirst: boolean): KeywordProblem {
  const instead = unsupported.get(keyword)
  if (instead !== undefined) {
    return {
      code: 'UNSUPPORTED_SCHEMA',
      message: `the schemas of inputs have no "${keyword}"`,
      hint: instead,
    }
  }
  const near = nearest(keyword, vocabulary.keys())
  const isType = schemaTypes.some((type) => type === value)
  const isName = isFirst && (isType ? near !== 'type' : isJsonObject(value) && keyword.length < 6)
  const belong = 'the names of inputs belong under properties'
  const example = `, such as inputs: { properties: { ${keyword}: { type: ${isType ? value : 'string'} } } }`
  return {
    code: 'INVALID_SCHEMA',
    message: `JSON Schema has no keyword "${keyword}"`,
    hint: near === undefined || isName ? `${belong}${isFirst ? example : ''}` : `did you mean "${near}"?`,
  }
}

const mostSchemas = 10_000

/**
 * The first schema that asks for itself about the same value, or for more schemas than can be tried: references make
 * a short schema as large as one likes.
 */
function findEndless(
  schemas: readonly { readonly schema: JsonSchema; readonly path: JsonPath }[],
  root: JsonSchema,
): JsonPath | undefined {
  const costs = new Map<unknown, number>()
  const costOf = (schema: unknown): number => {
    if (!isJsonObject(schema)) return 0
    const known = costs.get(schema)
    if (known !== undefined) return known
    // While it is being counted it costs too much: only a circle comes back here.
    costs.set(schema, Number.POSITIVE_INFINITY)
    const cost = partsOf(schema, root).reduce<number>((sum, part) => sum + costOf(part), 1)
    costs.set(schema, cost)
    return cost
  }
  return schemas.find(({ schema }) => costOf(schema) > mostSchemas)?.path
}

/** The schemas that judge the same value as this one. */
function partsOf(schema: JsonSchema, root: JsonSchema): readonly unknown[] {
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = schema
  const lists = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const target = typeof $ref === 'string' ? resolveReference($ref, root) : undefined
  return [...lists, not, condition, then, otherwise, target]
}
