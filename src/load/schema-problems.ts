import type { ErrorObject, ValidateFunction } from 'ajv'
import type { JsonSchema } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import { formatPath, type JsonPath, parsePointer, valueAt } from './json-path.ts'
import { familiarKeys } from './language/familiar-keys.ts'
import { isUndecided } from './yaml/unreadable.ts'

/** One broken rule of a schema, in our words. */
export interface ShapeProblem {
  readonly code: 'UNKNOWN_KEY' | 'MISSING_KEY' | 'WRONG_TYPE' | 'WRONG_VALUE' | 'INVALID_DURATION'
  readonly path: JsonPath
  /** The finding is about the key and not its value. */
  readonly isAboutKey: boolean
  readonly message: string
  readonly hint?: string
  /** For a missing or an unknown key: its name, or the one that is meant. */
  readonly name?: string
  /** A text is needed, and something else stands there. */
  readonly wantsText?: boolean
}

/** How messages call the whole of what is checked, and the keys at its top. */
export interface WholeWords {
  readonly whole: string
  /** After "in". */
  readonly inWhole: string
  readonly key: string
}

const ofRunbook: WholeWords = { whole: 'the runbook', inWhole: 'a runbook', key: 'key' }

/**
 * Everything that a schema finds wrong with a value, leaving out what expressions will decide later. `name` is how
 * messages call the value; left out, it is the whole.
 */
export function schemaProblems(
  validate: ValidateFunction,
  value: unknown,
  name: JsonPath = [],
  words: WholeWords = ofRunbook,
): readonly ShapeProblem[] {
  if (validate(value)) return []
  const problems = (validate.errors ?? []).flatMap((error) => {
    const path = parsePointer(error.instancePath, value)
    const at = valueAt(value, path)
    // The whole is never an expression: nothing would evaluate it.
    const isOpen = path.length > 0 && typeof at === 'string' && isUndecided(at)
    return isOpen || isSummary(error) ? [] : [describe(error, path, name, words)]
  })
  return oneForEachValue(withoutMisspelled(problems))
}

/** Of the rules that one value breaks the first is told: an empty text is too short, and matches no pattern either. */
function oneForEachValue(problems: readonly ShapeProblem[]): readonly ShapeProblem[] {
  const told = new Set<string>()
  return problems.filter(({ code, path }) => {
    if (code !== 'WRONG_VALUE') return true
    const place = formatPath(path)
    const isFirst = !told.has(place)
    told.add(place)
    return isFirst
  })
}

/** A key that is misspelled is not missing as well. */
function withoutMisspelled(problems: readonly ShapeProblem[]): readonly ShapeProblem[] {
  const meant = new Set(
    problems.flatMap(({ code, path, name }) =>
      code === 'UNKNOWN_KEY' && name !== undefined ? [formatPath([...path.slice(0, -1), name])] : [],
    ),
  )
  return problems.filter(
    ({ code, path, name = '' }) => code !== 'MISSING_KEY' || !meant.has(formatPath([...path, name])),
  )
}

/** Branches of `anyOf` are summed up by the `anyOf` itself; that of `if` says no more than its own branch has said. */
function isSummary(error: ErrorObject): boolean {
  return error.keyword === 'if' || /\/anyOf\/\d+\//.test(error.schemaPath)
}

/** How messages call a value: by its key, or by its place in a list. */
export function nameOf(path: JsonPath, { whole }: WholeWords = ofRunbook): string {
  const last = path.at(-1)
  if (last === undefined) return whole
  return typeof last === 'number' ? formatPath(path) : `"${last}"`
}

function describe(error: ErrorObject, path: JsonPath, name: JsonPath, words: WholeWords): ShapeProblem {
  const { keyword, params } = error
  const place = nameOf([...name, ...path], words)
  if (keyword === 'additionalProperties') return unknownKey(error, path, name, words)
  if (keyword === 'required') {
    const missing = String(params['missingProperty'])
    const key = name.length + path.length === 0 ? words.key : 'key'
    const message = `${place} needs the ${key} "${missing}"`
    return { code: 'MISSING_KEY', path, isAboutKey: false, message, name: missing }
  }
  if (keyword === 'format' && params['format'] === 'duration') {
    const message = `${quote(error.data)} is not a duration`
    return {
      code: 'INVALID_DURATION',
      path,
      isAboutKey: false,
      message,
      hint: 'such as 500ms, 30s, 15m, 2h, 7d',
    }
  }
  if (keyword === 'format') {
    const message = `${quote(error.data)} is not a ${String(params['format'])}`
    return { code: 'WRONG_VALUE', path, isAboutKey: false, message, hint: 'such as 2026-01-31T08:00:00Z' }
  }
  if (keyword === 'type') {
    const message = `${place} must be ${kinds(params['type'])}, not ${kindOfYaml(error.data)}`
    const wantsText =
      params['type'] === 'string' && !isDuration(error) && ['number', 'boolean'].includes(typeof error.data)
    return { code: 'WRONG_TYPE', path, isAboutKey: false, message, wantsText, ...typeHint(error) }
  }
  const hint = nearestValue(error)
  const message = `${place} ${explain(error)}`
  return { code: 'WRONG_VALUE', path, isAboutKey: false, message, ...(hint === undefined ? {} : { hint }) }
}

function isDuration({ parentSchema }: ErrorObject): boolean {
  return (parentSchema as JsonSchema | undefined)?.['format'] === 'duration'
}

/** The listed value that a wrong one is probably meant to be. */
function nearestValue({ keyword, params, data }: ErrorObject): string | undefined {
  if (keyword !== 'enum' || typeof data !== 'string') return undefined
  const listed = (params['allowedValues'] as readonly unknown[]).filter((value) => typeof value === 'string')
  const near = nearest(data, listed)
  return near === undefined ? undefined : `did you mean "${near}"?`
}

function unknownKey(error: ErrorObject, path: JsonPath, under: JsonPath, words: WholeWords): ShapeProblem {
  const name = String(error.params['additionalProperty'])
  const holder = [...under, ...path]
  const { properties = {}, required = [] } = error.parentSchema as JsonSchema & {
    readonly properties?: object
    readonly required?: readonly string[]
  }
  const known = Object.keys(properties)
  const familiar = familiarKeys.get(name)
  const near =
    familiar !== undefined && known.includes(familiar)
      ? familiar
      : (nearest(name, known) ?? nearest(name, required))
  return {
    code: 'UNKNOWN_KEY',
    ...(near === undefined ? {} : { name: near }),
    path: [...path, name],
    isAboutKey: true,
    message:
      holder.length === 0
        ? `there is no ${words.key} "${name}" in ${words.inWhole}`
        : `there is no key "${name}" in ${formatPath(holder)}`,
    hint: near === undefined ? `known: ${known.join(', ') || 'none'}` : `did you mean "${near}"?`,
  }
}

function explain(error: ErrorObject): string {
  const { keyword, params, message = 'is not allowed' } = error
  const { errorMessage } = error.parentSchema as JsonSchema
  if (errorMessage !== undefined) return `is not allowed: it ${String(errorMessage)}`
  if (keyword === 'enum')
    return `must be one of ${(params['allowedValues'] as unknown[]).map(shown).join(', ')}`
  if (keyword === 'maxLength') return `is longer than ${params['limit']} characters`
  if (keyword === 'minLength')
    return params['limit'] === 1 ? 'must not be empty' : `is shorter than ${params['limit']} characters`
  if (keyword === 'minItems')
    return `needs at least ${params['limit']} item${params['limit'] === 1 ? '' : 's'}`
  if (keyword === 'uniqueItems') return 'names one thing twice'
  if (keyword === 'maxItems') return `has more than ${params['limit']} items`
  if (keyword === 'pattern') return `must match ${params['pattern']}`
  if (keyword === 'const') return `must be ${shown(params['allowedValue'])}`
  // What `then` and `else` of the inputs do not want at all.
  if (keyword === 'false schema') return 'must be left out here'
  return message
}

function kinds(type: unknown): string {
  const names: Readonly<Record<string, string>> = {
    object: 'a map',
    array: 'a list',
    string: 'a text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    null: 'null',
  }
  return [type]
    .flat()
    .map((name) => names[String(name)] ?? String(name))
    .join(' or ')
}

/** A value as people wrote it, and not all of it where it is long. */
function quote(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : quote(value)
}

function kindOfYaml(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  return typeof value === 'string' ? `the text ${quote(value)}` : String(value)
}

function typeHint(error: ErrorObject): { hint?: string } {
  if (isDuration(error) && typeof error.data === 'number')
    return { hint: `with its unit, such as ${error.data}s` }
  if (error.params['type'] === 'string' && ['number', 'boolean'].includes(typeof error.data)) {
    return { hint: `quote it: "${String(error.data)}"` }
  }
  if (error.params['type'] === 'boolean' && typeof error.data === 'string') {
    return { hint: `write one whole expression: \${{ ${error.data.trim()} }}` }
  }
  return {}
}
