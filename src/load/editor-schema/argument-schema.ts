import type { ActionDescription } from '../../core/action.ts'
import { isJsonObject, type JsonSchema } from '../../core/json.ts'
import { durationSchema, orExpression } from './expressions.ts'

/** Under which name the arguments of an action are defined. */
export function argumentsName({ name }: Pick<ActionDescription, 'name'>): string {
  return `with-${name.replaceAll('/', '.')}`
}

/**
 * The schema of `with` for an action in an editor: every value may be an expression. The definitions of the action's
 * schema are beside it.
 */
export function argumentsDefinitions(action: ActionDescription): Readonly<Record<string, JsonSchema>> {
  const { name, summary, input, sensitiveInput = [], secretNames = [], optionalSecretNames = [] } = action
  const own = argumentsName(action)
  const secrets = [
    ...sensitiveInput.map((pattern) => ({ path: pattern.split('.'), schema: secretSchema })),
    ...secretNames.map((pattern) => ({ path: pattern.split('.'), schema: secretNameSchema })),
    ...optionalSecretNames.map((pattern) => ({
      path: pattern.split('.'),
      schema: secretNameSchema,
      isOptional: true as const,
    })),
  ]
  const { definitions, $defs, $schema: _, $id: __, ...root } = input
  const inner = Object.entries({ ...(definitions as object), ...($defs as object) })
  return {
    [own]: evaluated({ ...root, title: name, description: `${summary}.` }, secrets, own),
    ...Object.fromEntries(
      inner.map(([key, schema]) => [`${own}.${key}`, evaluated(schema as JsonSchema, [], own)]),
    ),
  }
}

/** Places that take nothing but a secret, by their paths from here, and what an editor checks there. */
type Secrets = readonly {
  readonly path: readonly string[]
  readonly schema: JsonSchema
  /** The value that holds it can be another one, an expression too. */
  readonly isOptional?: true
}[]

/** A schema whose values are evaluated, at every depth. */
function evaluated(schema: JsonSchema, secrets: Secrets, own: string): JsonSchema {
  if (!isJsonObject(schema)) return schema
  const secret = secrets.find(({ path }) => path.length === 0)
  if (secret) return { ...descriptionOf(schema), ...secret.schema }
  const parts = Object.entries(suggested(schema)).flatMap(([keyword, value]) =>
    evaluatedPart(keyword, value, secrets, own),
  )
  const whole = Object.fromEntries(parts)
  // What holds a secret is written out key by key: the secret must not come out of an expression.
  return secrets.some(({ isOptional }) => !isOptional) ? whole : orExpression(whole)
}

function evaluatedPart(
  keyword: string,
  value: unknown,
  secrets: Secrets,
  own: string,
): readonly (readonly [string, unknown])[] {
  switch (keyword) {
    case 'properties':
    case 'patternProperties': {
      const entries = Object.entries(value as object).map(([name, property]) => [
        name,
        evaluated(property as JsonSchema, under(secrets, name), own),
      ])
      return [[keyword, Object.fromEntries(entries)]]
    }
    case 'items':
    case 'additionalProperties':
      return [
        [keyword, Array.isArray(value) ? value : evaluated(value as JsonSchema, under(secrets, '*'), own)],
      ]
    case 'allOf':
    case 'anyOf':
      return [[keyword, evaluatedList(value, secrets, own)]]
    // An expression fits more than one of several.
    case 'oneOf':
      return [['anyOf', evaluatedList(value, secrets, own)]]
    case '$ref':
      return [[keyword, ownReference(String(value), own)]]
    // What a value must not be, and what follows from it, can only be judged when it is there.
    case 'not':
    case 'if':
    case 'then':
    case 'else':
      return []
    default:
      return [[keyword, value]]
  }
}

function evaluatedList(value: unknown, secrets: Secrets, own: string): readonly JsonSchema[] {
  return (value as readonly JsonSchema[]).map((schema) => evaluated(schema, secrets, own))
}

/** A reference inside the schema of the action, as one inside ours. */
function ownReference(reference: string, own: string): string {
  const name = /^#\/(?:definitions|\$defs)\/([^/]+)$/.exec(reference)?.[1]
  return `#/definitions/${name === undefined ? own : `${own}.${name}`}`
}

function under(secrets: Secrets, name: string): Secrets {
  return secrets.flatMap(({ path: [first, ...path], ...secret }) =>
    first === name || first === '*' ? [{ ...secret, path }] : [],
  )
}

function descriptionOf({ description }: JsonSchema): JsonSchema {
  return description === undefined ? {} : { description }
}

const secretSchema: JsonSchema = {
  type: 'string',
  pattern: '^\\s*\\$\\{\\{\\s*secrets\\.[a-z][a-z0-9_]*\\s*\\}\\}\\s*$',
  patternErrorMessage: 'Expected a secret, as the whole value: ${{ secrets.NAME }}',
  examples: ['${{ secrets.agent_token }}'],
}

const secretNameSchema: JsonSchema = {
  type: 'string',
  pattern: '^[a-z][a-z0-9_]*$',
  patternErrorMessage: 'Expected the name of a secret, one of those under secrets',
  examples: ['agent_token'],
}

/** Keywords of ours in words that editors know. Values that are only known or suggested are completed, and others taken. */
function suggested(schema: JsonSchema): JsonSchema {
  const { knownValues, knownMaxLength, suggestions, deprecated, format, ...others } = schema
  const { default: otherwise, description, ...rest } = others
  const values = knownValues ?? suggestions
  return {
    ...rest,
    ...about(description, otherwise),
    ...(format === 'duration' ? durationSchema : format === undefined ? {} : { format }),
    ...(deprecated === true ? { deprecationMessage: 'Deprecated: leave it out.' } : {}),
    ...(values === undefined ? {} : { anyOf: [{ enum: values }, { type: 'string' }] }),
  }
}

/** A default is said, and not written into the runbook. */
function about(description: unknown, otherwise: unknown): JsonSchema {
  const words = typeof description === 'string' ? [description] : []
  const isPlain = otherwise !== undefined && (typeof otherwise !== 'object' || otherwise === null)
  const all = isPlain ? [...words, `Default: ${String(otherwise)}.`] : words
  return all.length === 0 ? {} : { description: all.join(' ') }
}
