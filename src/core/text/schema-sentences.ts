import { isJsonObject } from '../json.ts'

/** What the sentences need of an error of Ajv in its verbose form. */
export interface SchemaError {
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly data?: unknown
  readonly schema?: unknown
  readonly parentSchema?: unknown
  readonly message?: string
}

/** How a sentence names kinds of values and values. */
export interface SchemaWords {
  /** The kinds of values by their names in a schema. */
  readonly kinds: Readonly<Record<string, string>>
  /** What a value of a wrong kind is instead; undefined: the sentence leaves it out. */
  kindOf(value: unknown): string | undefined
  /** A value that the schema lists. */
  listed(value: unknown): string
  /** A value as it was written; undefined: the sentence leaves it out. */
  written(value: unknown): string | undefined
}

/** The kinds of JSON, for callers of the client. No sentence repeats the value, which may be a secret. */
export const wordsOfJson: SchemaWords = {
  kinds: {
    object: 'an object',
    array: 'an array',
    string: 'a string',
    integer: 'an integer',
    number: 'a number',
    boolean: 'a boolean',
    null: 'null',
  },
  kindOf: (value) => {
    if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction'
    const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    return wordsOfJson.kinds[kind] ?? kind
  },
  listed: (value) => JSON.stringify(value),
  written: () => undefined,
}

/** The kinds of YAML, for authors of runbooks. Values are quoted, up to 80 characters of each. */
export const wordsOfYaml: SchemaWords = {
  kinds: {
    object: 'a map',
    array: 'a list',
    string: 'a text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    null: 'null',
  },
  kindOf: (value) => {
    if (value === null) return 'null'
    if (Array.isArray(value)) return 'a list'
    if (isJsonObject(value)) return 'a map'
    return typeof value === 'string' ? `the text ${quote(value)}` : String(value)
  },
  listed: (value) => (typeof value === 'string' ? value : quote(value)),
  written: quote,
}

/** The kinds of YAML for files that hold secrets: no sentence repeats a value. */
export const wordsWithoutValues: SchemaWords = {
  ...wordsOfYaml,
  kindOf: () => undefined,
  written: () => undefined,
}

type Sentence = (error: SchemaError, words: SchemaWords) => string

/** What is wrong with a value, by the keyword of the schema that it breaks. */
const sentences: Readonly<Record<string, Sentence>> = {
  required: () => 'is required',
  additionalProperties: () => 'is not a known field',
  type: ({ params, data }, { kinds, kindOf }) => {
    const needed = [params['type']].flat().map((name) => kinds[String(name)] ?? String(name))
    const found = kindOf(data)
    return `must be ${needed.join(' or ')}${found === undefined ? '' : `, not ${found}`}`
  },
  enum: (error, words) => `must be one of ${list(error, words)}`,
  knownValues: (error, words) => `is none of the values that the document lists (${list(error, words)})`,
  knownMaxLength: ({ schema, data }) =>
    `has ${[...String(data)].length} characters; the document allows ${schema}`,
  const: ({ params }, { listed }) => `must be ${listed(params['allowedValue'])}`,
  minLength: ({ params: { limit } }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`,
  maxLength: ({ params: { limit }, data }) =>
    `has ${[...String(data)].length} characters; at most ${limit} are allowed`,
  minItems: ({ params: { limit } }) =>
    limit === 1 ? 'must hold at least one item' : `must hold at least ${limit} items`,
  maxItems: ({ params: { limit } }) => `has more than ${limit} items`,
  uniqueItems: () => 'names one thing twice',
  dependencies: ({ params }) => `has "${params['property']}", and needs "${params['deps']}" too`,
  minimum: ({ params: { limit } }) => `must be at least ${limit}`,
  maximum: ({ params: { limit } }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ schema }) => `must be greater than ${schema}`,
  exclusiveMaximum: ({ schema }) => `must be less than ${schema}`,
  multipleOf: ({ schema }) => `must be a multiple of ${schema}`,
  minProperties: ({ schema }) =>
    schema === 1 ? 'must hold at least one field' : `must hold at least ${schema} fields`,
  maxProperties: ({ schema }) => `must hold at most ${schema === 1 ? 'one field' : `${schema} fields`}`,
  format: ({ schema, data }, { written }) => {
    const shown = written(data)
    return `must be ${/^(email|ip)/.test(String(schema)) ? 'an' : 'a'} ${schema}${shown === undefined ? '' : `, not ${shown}`}`
  },
  pattern: ({ params }) => `must match ${params['pattern']}`,
  anyOf: () => 'must fit one of the alternatives of its schema',
  // A key that `then` or `else` of the schema forbids.
  'false schema': () => 'must be left out here',
}

/** One broken rule of a schema as a sentence about its subject. Without a subject, what is wrong alone. */
export function schemaSentence(error: SchemaError, words: SchemaWords, subject = ''): string {
  const { keyword, message = `breaks the rule "${keyword}"` } = error
  const rule = isJsonObject(error.parentSchema) ? error.parentSchema['errorMessage'] : undefined
  const text =
    rule === undefined
      ? (sentences[keyword]?.(error, words) ?? message)
      : `must be ${String(rule).replace(/^is /, '')}`
  return subject === '' ? text : `${subject} ${text}`
}

function list({ schema }: SchemaError, { listed }: SchemaWords): string {
  return (Array.isArray(schema) ? schema : []).map(listed).join(', ')
}

/** A value as it was written, up to 80 characters of it. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
