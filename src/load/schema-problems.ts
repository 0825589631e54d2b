import type { ErrorObject, ValidateFunction } from 'ajv'
import { isJsonObject, type JsonSchema } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import { quote, type SchemaWords, schemaSentence, wordsOfYaml } from '../core/schema-sentences.ts'
import { formatPath, type JsonPath, parsePointer, valueAt } from './json-path.ts'
import { familiarKeys } from './language/section.ts'
import { isUnknownYet } from './yaml/findings.ts'

/** One broken rule of a schema, in words. */
export interface ShapeProblem {
  readonly code: 'UNKNOWN_KEY' | 'MISSING_KEY' | 'WRONG_TYPE' | 'WRONG_VALUE' | 'INVALID_DURATION'
  readonly path: JsonPath
  /** The finding is about the key and not its value. */
  readonly isAboutKey: boolean
  readonly message: string
  readonly hint?: string
  /** For a missing or an unknown key: its name, or the one that is meant. */
  readonly name?: string
  /** A text is needed, and the value is of another kind. */
  readonly wantsText?: boolean
}

/** How messages name what is checked as a whole, and the keys at its top. */
export interface SubjectWords extends SchemaWords {
  readonly whole: string
  missing(key: string): string
  unknown(key: string): string
}

const ofRunbook: SubjectWords = {
  ...wordsOfYaml,
  whole: 'the runbook',
  missing: (key) => `the runbook needs the key "${key}"`,
  unknown: (key) => `there is no key "${key}" in a runbook`,
}

/**
 * Everything that a schema finds wrong with a value, without what expressions decide later. `name` is how messages name
 * the value; without it, the value is the whole.
 */
export function schemaProblems(
  validate: ValidateFunction,
  value: unknown,
  name: JsonPath = [],
  words: SubjectWords = ofRunbook,
): readonly ShapeProblem[] {
  if (validate(value)) return []
  const problems = (validate.errors ?? []).flatMap((error) => {
    const path = parsePointer(error.instancePath, value)
    const at = valueAt(value, path)
    // The whole is never an expression: nothing would evaluate it.
    const isOpen = path.length > 0 && typeof at === 'string' && isUnknownYet(at)
    return isOpen || isSummary(error) ? [] : [describe(error, path, name, words)]
  })
  return oneForEachValue(withoutMisspelled(problems))
}

/** Reports the first rule that a value breaks: an empty text is too short, and matches no pattern either. */
function oneForEachValue(problems: readonly ShapeProblem[]): readonly ShapeProblem[] {
  const reported = new Set<string>()
  return problems.filter(({ code, path }) => {
    if (code !== 'WRONG_VALUE') return true
    const place = formatPath(path)
    const isFirst = !reported.has(place)
    reported.add(place)
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

/** The error of an `anyOf` sums up its branches, and that of an `if` adds nothing to the one of its branch. */
function isSummary(error: ErrorObject): boolean {
  return error.keyword === 'if' || /\/anyOf\/\d+\//.test(error.schemaPath)
}

/** How messages name a value: by its key, or by its position in a list. */
export function nameOf(path: JsonPath, { whole }: Pick<SubjectWords, 'whole'> = ofRunbook): string {
  const last = path.at(-1)
  if (last === undefined) return whole
  return typeof last === 'number' ? formatPath(path) : `"${last}"`
}

function describe(error: ErrorObject, path: JsonPath, name: JsonPath, words: SubjectWords): ShapeProblem {
  const { keyword, params, data } = error
  const holder = [...name, ...path]
  const subject = nameOf(holder, words)
  const about = { path, isAboutKey: false }
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(error, path, holder, words)
    case 'required': {
      const missing = String(params['missingProperty'])
      const message = holder.length === 0 ? words.missing(missing) : `${subject} needs the key "${missing}"`
      return { ...about, code: 'MISSING_KEY', message, name: missing }
    }
    case 'format': {
      const isTime = params['format'] === 'duration'
      const shown = words.kindOf(data) === undefined ? subject : quote(data)
      return {
        ...about,
        code: isTime ? 'INVALID_DURATION' : 'WRONG_VALUE',
        message: `${shown} is not a ${String(params['format'])}`,
        hint: isTime ? 'such as 500ms, 30s, 15m, 2h, 7d' : 'such as 2026-01-31T08:00:00Z',
      }
    }
    case 'type': {
      const isScalar = ['number', 'boolean'].includes(typeof data)
      const wantsText = params['type'] === 'string' && !isDuration(error) && isScalar && fitsInQuotes(error)
      const message = schemaSentence(error, words, subject)
      return { ...about, code: 'WRONG_TYPE', message, wantsText, ...typeHint(error) }
    }
    default: {
      const hint = nearestValue(error)
      const message = schemaSentence(error, words, subject)
      return { ...about, code: 'WRONG_VALUE', message, ...(hint === undefined ? {} : { hint }) }
    }
  }
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

function unknownKey(error: ErrorObject, path: JsonPath, holder: JsonPath, words: SubjectWords): ShapeProblem {
  const name = String(error.params['additionalProperty'])
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
    message: holder.length === 0 ? words.unknown(name) : `there is no key "${name}" in ${formatPath(holder)}`,
    hint: near === undefined ? `known: ${known.join(', ') || 'none'}` : `did you mean "${near}"?`,
  }
}

/** What is written in place of a list, as one. */
function listHint(data: unknown): { hint?: string } {
  if (isJsonObject(data)) return { hint: 'each item of a list begins with "- "' }
  return typeof data === 'string' && /^[\w./-]+$/.test(data) ? { hint: `as a list: [${data}]` } : {}
}

/** Whether a number or a word in quotes would fit. */
function fitsInQuotes({ parentSchema, data }: ErrorObject): boolean {
  const pattern = (parentSchema as JsonSchema | undefined)?.['pattern']
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(String(data))
}

/** Keys that are true or false when the runbook is loaded, and never an expression. */
const isWrittenOut = (pointer: string): boolean => /\/(continue-on-error|not-starter)$/.test(pointer)

const yesWords: ReadonlySet<string> = new Set(['yes', 'on', 'true'])
const noWords: ReadonlySet<string> = new Set(['no', 'off', 'false'])

function typeHint(error: ErrorObject): { hint?: string } {
  if (isDuration(error) && typeof error.data === 'number')
    return { hint: `with its unit, such as ${error.data}s` }
  if (error.params['type'] === 'string' && ['number', 'boolean'].includes(typeof error.data)) {
    if (!fitsInQuotes(error)) return {}
    return { hint: `quote it: "${String(error.data)}"` }
  }
  if (error.params['type'] === 'array') return listHint(error.data)
  if (error.params['type'] === 'boolean' && typeof error.data === 'string') {
    const word = error.data.trim().toLowerCase()
    if (yesWords.has(word)) return { hint: 'write true' }
    if (noWords.has(word)) return { hint: 'write false' }
    // A word is none: it names nothing that an expression could read.
    if (/^\w*$/.test(word) || isWrittenOut(error.instancePath)) return {}
    return { hint: `write one whole expression: \${{ ${error.data.trim()} }}` }
  }
  return {}
}
