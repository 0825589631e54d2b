import type { ActionDescription } from '../../core/action.ts'
import { isJsonObject, type JsonSchema } from '../../core/json.ts'
import { durationSchema } from './durations.ts'
import { orExpression } from './expressions.ts'

/** What stands under `with` for an action, as an editor checks it: every value may be an expression. */
export function argumentsSchema({
  name,
  summary,
  input,
  sensitiveInput = [],
}: ActionDescription): JsonSchema {
  const patterns = sensitiveInput.map((pattern) => pattern.split('.'))
  return evaluated({ ...input, title: name, description: `${summary}.` }, patterns)
}

/** A schema whose values are evaluated, at every depth. `secrets`: paths under it that take nothing but a secret. */
function evaluated(schema: JsonSchema, secrets: readonly (readonly string[])[]): JsonSchema {
  if (secrets.some((path) => path.length === 0)) return secretSchema(schema)
  const { properties, items, additionalProperties } = schema
  return orExpression(
    suggested({
      ...schema,
      ...(isJsonObject(properties)
        ? {
            properties: Object.fromEntries(
              Object.entries(properties).map(([name, property]) => [
                name,
                evaluated(property as JsonSchema, under(secrets, name)),
              ]),
            ),
          }
        : {}),
      ...(isJsonObject(items) ? { items: evaluated(items, under(secrets, '*')) } : {}),
      ...(isJsonObject(additionalProperties)
        ? { additionalProperties: evaluated(additionalProperties, under(secrets, '*')) }
        : {}),
    }),
  )
}

function under(paths: readonly (readonly string[])[], name: string): readonly (readonly string[])[] {
  return paths.filter(([first]) => first === name || first === '*').map(([, ...rest]) => rest)
}

function secretSchema({ description }: JsonSchema): JsonSchema {
  return {
    ...(description === undefined ? {} : { description }),
    type: 'string',
    pattern: '^\\s*\\$\\{\\{\\s*secrets\\.[a-z][a-z0-9_]*\\s*\\}\\}\\s*$',
    patternErrorMessage: 'Expected a secret, as the whole value: ${{ secrets.NAME }}',
    examples: ['${{ secrets.agent_token }}'],
  }
}

/** Keywords of ours in words that editors know. Values that are only known or suggested are completed, and others taken. */
function suggested(schema: JsonSchema): JsonSchema {
  const { knownValues, suggestions, deprecated, format, default: otherwise, description, ...rest } = schema
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
