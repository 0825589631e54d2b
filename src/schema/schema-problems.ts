import type { ErrorObject } from 'ajv'
import { formatPath, isJsonObject, type JsonPath, type JsonSchema, parsePointer } from '../core/json.ts'
import { nearest, type SchemaWords, schemaSentence } from '../core/text/index.ts'

/** One broken rule of a schema, in words. */
export interface SchemaProblem {
  readonly code: 'UNKNOWN_KEY' | 'MISSING_KEY' | 'WRONG_TYPE' | 'WRONG_VALUE' | 'INVALID_DURATION'
  /** Of the value, or of the unknown key. */
  readonly path: JsonPath
  /** The finding is about the key and not its value. */
  readonly isAboutKey: boolean
  readonly message: string
  readonly hint?: string
  /** For a missing or an unknown key: its name, or the one that is meant. */
  readonly name?: string
  /** A text is needed, and the value is of another kind that would be one in quotes. */
  readonly wantsText?: boolean
}

/** How messages name what is checked and its keys. */
export interface SubjectWords extends SchemaWords {
  /** A value. Empty: messages follow its path. */
  nameOf(path: JsonPath): string
  missing(key: string, holder: JsonPath): string
  unknown(key: string, holder: JsonPath): string
  /** The key that is meant by one of another language. */
  familiar?(key: string): string | undefined
  /** What to write in place of a value of a wrong type. */
  typeHint?(error: ErrorObject): Pick<SchemaProblem, 'hint' | 'wantsText'>
}

/**
 * What Ajv has found wrong with a value. Reports the first rule that each value breaks, as it is the cause of the
 * others. `name`: the path of the value in what messages name.
 */
export function schemaProblems(
  errors: readonly ErrorObject[],
  value: unknown,
  words: SubjectWords,
  name: JsonPath = [],
): readonly SchemaProblem[] {
  const problems = withoutBranches(errors).map((error) =>
    describe(error, parsePointer(error.instancePath, value), name, words),
  )
  return oneForEachValue(withoutMisspelled(problems))
}

function oneForEachValue(problems: readonly SchemaProblem[]): readonly SchemaProblem[] {
  const reported = new Set<string>()
  return problems.filter(({ code, path, name = '' }) => {
    const place = formatPath(code === 'MISSING_KEY' ? [...path, name] : path)
    const isFirst = !reported.has(place)
    reported.add(place)
    return isFirst
  })
}

/** A key that is misspelled is not missing as well. */
function withoutMisspelled(problems: readonly SchemaProblem[]): readonly SchemaProblem[] {
  const meant = new Set(
    problems.flatMap(({ code, path, name }) =>
      code === 'UNKNOWN_KEY' && name !== undefined ? [formatPath([...path.slice(0, -1), name])] : [],
    ),
  )
  return problems.filter(
    ({ code, path, name = '' }) => code !== 'MISSING_KEY' || !meant.has(formatPath([...path, name])),
  )
}

/**
 * Of an `anyOf` without a message of its own, what is wrong inside the value where a branch says that; else its own
 * error, which sums up the branches. The error of an `if` adds nothing to the one of its branch.
 */
function withoutBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const isBranch = ({ schemaPath }: ErrorObject): boolean => /\/anyOf\/\d+\//.test(schemaPath)
  const opened = errors.filter(
    ({ keyword, instancePath, parentSchema }) =>
      keyword === 'anyOf' &&
      parentSchema?.['errorMessage'] === undefined &&
      errors.some((one) => isBranch(one) && one.instancePath.startsWith(`${instancePath}/`)),
  )
  return errors.filter((error) => {
    if (error.keyword === 'if' || opened.includes(error)) return false
    return !isBranch(error) || opened.some((one) => error.instancePath.startsWith(`${one.instancePath}/`))
  })
}

function describe(error: ErrorObject, path: JsonPath, name: JsonPath, words: SubjectWords): SchemaProblem {
  const { keyword, params } = error
  const holder = [...name, ...path]
  if (keyword === 'additionalProperties') return unknownKey(error, path, holder, words)
  const about = { path, isAboutKey: false }
  if (keyword === 'required') {
    const key = String(params['missingProperty'])
    return { ...about, code: 'MISSING_KEY', message: words.missing(key, holder), name: key }
  }
  const message = schemaSentence(error, words, words.nameOf(holder))
  if (keyword === 'type') return { ...about, code: 'WRONG_TYPE', message, ...words.typeHint?.(error) }
  const code = params['format'] === 'duration' ? 'INVALID_DURATION' : 'WRONG_VALUE'
  const hint = valueHint(error)
  return { ...about, code, message, ...(hint === undefined ? {} : { hint }) }
}

const formatHints: Readonly<Record<string, string>> = {
  duration: 'such as 500ms, 30s, 15m, 2h, 7d; at most 36500d',
  'date-time': 'such as 2026-01-31T08:00:00Z',
}

/** The listed value that is probably meant, what a pattern means, or an example of a format. */
function valueHint({ keyword, params, schema, parentSchema, data }: ErrorObject): string | undefined {
  switch (keyword) {
    case 'enum':
    case 'knownValues': {
      const listed = (schema as readonly unknown[]).filter((one) => typeof one === 'string')
      const near = typeof data === 'string' ? nearest(data, listed) : undefined
      return near === undefined ? undefined : `did you mean ${JSON.stringify(near)}?`
    }
    case 'format':
      return formatHints[String(params['format'])]
    case 'pattern': {
      const description = (parentSchema as JsonSchema | undefined)?.['description']
      return typeof description === 'string' ? description : undefined
    }
    default:
      return undefined
  }
}

function unknownKey(
  error: ErrorObject,
  path: JsonPath,
  holder: JsonPath,
  words: SubjectWords,
): SchemaProblem {
  const key = String(error.params['additionalProperty'])
  const { properties, required = [] } = error.parentSchema as JsonSchema & {
    readonly required?: readonly string[]
  }
  const known = isJsonObject(properties) ? Object.keys(properties) : []
  const familiar = words.familiar?.(key)
  const near =
    familiar !== undefined && known.includes(familiar)
      ? familiar
      : (nearest(key, known) ?? nearest(key, required))
  return {
    code: 'UNKNOWN_KEY',
    ...(near === undefined ? {} : { name: near }),
    path: [...path, key],
    isAboutKey: true,
    message: words.unknown(key, holder),
    hint:
      near === undefined ? `known: ${known.join(', ') || 'none'}` : `did you mean ${JSON.stringify(near)}?`,
  }
}
