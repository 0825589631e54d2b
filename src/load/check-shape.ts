import type { ValidateFunction } from 'ajv'
import { formatPath, isJsonObject, type JsonPath, type JsonSchema, valueAt } from '../core/json.ts'
import { quote } from '../core/text/index.ts'
import { when } from '../core/write-schema.ts'
import type { SchemaProblem } from '../schema/index.ts'
import { compileOwn } from './ajv.ts'
import { retryAll } from './check-error-codes.ts'
import { type KeyValue, type Section, sections } from './language/index.ts'
import { hintForStepKey } from './language/other-tools.ts'
import { removed } from './language/section.ts'
import { schemaFindings } from './schema-problems.ts'
import { findingPlace, type Source } from './source.ts'
import { unreadableText } from './yaml/findings.ts'

let validate: ValidateFunction | undefined

/** Checks the shape of a whole runbook. A value that is an expression fits every key that has a type. */
export function checkShape(source: Source): void {
  if (source.value === unreadableText) return
  validate ??= compileOwn(shapeSchema())
  const isCutOff = source.findings.list.some(({ code }) => code === 'SEVERAL_DOCUMENTS')
  for (const problem of schemaFindings(validate, source.value)) {
    const { code, path, isAboutKey, message } = problem
    // What is missing here may stand after the line that begins the next document.
    if (isCutOff && code === 'MISSING_KEY' && path.length === 0) continue
    if (isName(code, path)) continue
    const list = listWithStep(source, problem)
    if (list) {
      addStepsIn(source, list)
      continue
    }
    const hint = removed.get(nameOf(source, problem)) ?? foreignHint(problem) ?? hintOf(source, problem)
    source.add(code, findingPlace(path, isAboutKey), message, hint)
  }
}

/** The `catch` or `choose` of which an entry is a step: all that is wrong with the entry is this one mistake. */
function listWithStep({ value }: Source, { code, path }: SchemaProblem): JsonPath | undefined {
  if (code !== 'UNKNOWN_KEY' && code !== 'MISSING_KEY') return undefined
  const entry = code === 'UNKNOWN_KEY' ? path.slice(0, -1) : path
  if (typeof entry.at(-1) !== 'number' || !Object.hasOwn(entryForms, String(entry.at(-2)))) return undefined
  const held = valueAt(value, entry)
  return isJsonObject(held) && looksLikeStep(held) ? entry.slice(0, -1) : undefined
}

/** Whether it is a step, where an entry with steps is expected. */
export function looksLikeStep(held: object): boolean {
  return Object.hasOwn(held, 'uses') || Object.hasOwn(held, 'id')
}

/** How an entry with steps is written, by the key of its list. */
const entryForms: Readonly<Record<string, string>> = {
  catch: '{ errors: [all], steps: […] }',
  choose: '{ when: …, steps: […] }',
}

function addStepsIn(source: Source, list: JsonPath): void {
  const key = String(list.at(-1))
  const told = formatPath(list)
  if (source.findings.list.some(({ code, path }) => code === 'WRONG_VALUE' && path === told)) return
  const message = `an entry of "${key}" holds steps, and this one is a step`
  source.add('WRONG_VALUE', { key: list }, message, `${key}: [${entryForms[key]}]`)
}

/** What a step has in the place of a key of another tool. */
function foreignHint({ code, path }: SchemaProblem): string | undefined {
  const [list, position, key] = path.slice(-3)
  const isOfStep = ['steps', 'parallel', 'finally'].includes(String(list)) && typeof position === 'number'
  return code === 'UNKNOWN_KEY' && isOfStep ? hintForStepKey(String(key)) : undefined
}

/** An unknown key with those around it, whatever the positions in lists; else a key with its value. */
function nameOf(source: Source, { code, path }: SchemaProblem): string {
  if (code === 'UNKNOWN_KEY') return path.filter((part) => typeof part === 'string').join('.')
  const value = valueAt(source.value, path)
  return typeof value === 'string' ? `${path.at(-1)}: ${value}` : ''
}

/** Names that expressions use are judged when the step is compiled, in words of their own. */
function isName(code: SchemaProblem['code'], path: JsonPath): boolean {
  if (path[0] === 'inputs') return false
  const [holder, key] = path.slice(-2)
  if (key === 'id') return typeof holder === 'number' && (code === 'WRONG_TYPE' || code === 'WRONG_VALUE')
  return key === 'as' && holder === 'for-each' && code === 'WRONG_VALUE'
}

/** The map or the list around a value that is written in its place, such as `retry: 3`. */
export function hintForMap(path: JsonPath, written: string | undefined): string | undefined {
  const key = String(path.at(-1))
  if (Object.hasOwn(entryForms, key)) return `write ${key}: [${entryForms[key]}]`
  if (key === 'expect' && written) return `write expect: [${written}]`
  // No number is a list; who writes one wants as many items.
  if (key === 'for-each' && /^\d+$/.test(written ?? ''))
    return `write for-each: { items: "\${{ range(${written}) }}" }`
  const inner = Object.hasOwn(mainKeys, key) ? mainKeys[key] : undefined
  return inner === undefined || !written ? undefined : `write ${key}: { ${inner}: ${written} }`
}

/** What is meant where a map is expected, and one value stands. */
const mainKeys: Readonly<Record<string, string>> = {
  'for-each': 'items',
  retry: 'attempts',
  throttle: 'max-wait',
  repeat: 'until',
  concurrency: 'key',
}

/** A hint to quote shows the value as it is written: `1.10` is no longer itself as a number. */
export function hintOf(source: Source, { code, path, hint, wantsText }: SchemaProblem): string | undefined {
  const value = valueAt(source.value, path)
  if (code === 'WRONG_TYPE' && typeof path.at(-2) === 'number') {
    const isItems = path.at(-1) === 'for-each' && Array.isArray(value)
    const form = hintForMap(path, isItems ? quote(value) : source.scalarAt(path)?.written)
    if (form !== undefined) return form
  }
  if (value === 'all' && path.at(-1) === 'errors' && path.at(-2) === 'retry') return retryAll
  if (code !== 'WRONG_TYPE' || !wantsText) return hint
  const written = source.scalarAt(path)?.written
  return written === undefined || written === '' ? hint : `quote it: "${written}"`
}

/** The shape of a runbook as a JSON Schema, made from the tables of the language: what Ajv checks. */
export function shapeSchema(): JsonSchema {
  const definitions = Object.values(sections).map((section) => [section.name, sectionSchema(section)])
  return { $ref: '#/definitions/document', definitions: Object.fromEntries(definitions) }
}

function sectionSchema(section: Section): JsonSchema {
  const schemaOf = ({ key, value }: Section['keys'][number]): JsonSchema | true =>
    key === 'repeat' ? true : valueSchema(value)
  return {
    type: 'object',
    title: section.title,
    additionalProperties: false,
    required: section.keys.filter(({ isRequired }) => isRequired).map(({ key }) => key),
    properties: Object.fromEntries(section.keys.map((key) => [key.key, schemaOf(key)])),
    ...(section.name === 'step' ? repeatByKind : {}),
  }
}

/** `repeat` takes other keys where it is that of a block. */
const repeatByKind: JsonSchema = when(
  {
    anyOf: ['steps', 'parallel', 'choose'].map((key) => ({ required: [key] })),
    not: { required: ['uses'] },
  },
  { properties: { repeat: { $ref: '#/definitions/turns' } } },
  { properties: { repeat: { $ref: '#/definitions/repeat' } } },
)

function valueSchema(value: KeyValue): JsonSchema {
  switch (value.kind) {
    case 'data':
    case 'template':
      return value.schema
    case 'words':
      return { type: 'string' }
    case 'duration':
      return { type: 'string', format: 'duration' }
    case 'condition':
      return { type: 'boolean' }
    case 'map':
      return { $ref: `#/definitions/${value.section}` }
    case 'list': {
      const item: JsonSchema = { $ref: `#/definitions/${value.section}` }
      // A condition may stand for an expectation without a message.
      const items =
        value.section === 'expectation' ? when({ type: 'object' }, item, { type: 'boolean' }) : item
      // Steps are counted in the whole runbook, where one list is no different from many.
      const most = value.section === 'step' ? {} : { maxItems: value.most }
      return { type: 'array', minItems: value.least, ...most, items }
    }
  }
}
