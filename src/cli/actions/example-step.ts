import { stringify } from 'yaml'
import type { ActionDescription } from '../../core/action.ts'
import type { JsonSchema } from '../../core/json.ts'

/** A step that uses the action, with what it needs and nothing else. */
export function exampleStep(action: ActionDescription): string {
  const step = {
    id: action.name.split('/').at(-1)?.replaceAll('-', '_'),
    uses: action.name,
    with: action.example ?? exampleOf(action.input, secretsOf(action)),
    ...(action.savesFile === 'always' ? { 'save-as': fileNameFor(action.name) } : {}),
  }
  return stringify([step], { lineWidth: 0 }).trimEnd()
}

function fileNameFor(action: string): string {
  return action.endsWith('export') ? 'session.ndjson' : 'report.md'
}

type Paths = readonly (readonly string[])[]

function secretsOf({ sensitiveInput = [] }: ActionDescription): Paths {
  return sensitiveInput.map((path) => path.split('.'))
}

/** `secrets`: the paths under the value that take nothing but a secret. */
function exampleOf(schema: JsonSchema, secrets: Paths): unknown {
  const [example] = (schema['examples'] ?? schema['enum'] ?? []) as readonly unknown[]
  if (example !== undefined) return example
  if (schema['type'] === 'object') return exampleObject(schema, secrets)
  if (schema['type'] === 'array') return [exampleOf((schema['items'] ?? {}) as JsonSchema, [])]
  if (schema['type'] === 'integer' || schema['type'] === 'number') return schema['minimum'] ?? 1
  if (schema['type'] === 'boolean') return true
  return '…'
}

function exampleObject(schema: JsonSchema, secrets: Paths): unknown {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const required = (schema['required'] ?? []) as readonly string[]
  return Object.fromEntries(
    required.map((name) => {
      const inside = secrets.flatMap(([first, ...rest]) => (first === name || first === '*' ? [rest] : []))
      const isSecret = inside.some((path) => path.length === 0)
      const value = isSecret
        ? `\${{ secrets.${secretName(name)} }}`
        : exampleOf(properties[name] ?? {}, inside)
      return [name, value]
    }),
  )
}

/** A name that a runbook can declare. */
function secretName(field: string): string {
  const name = field.toLowerCase().replaceAll(/[^a-z0-9_]+/g, '_')
  return /^[a-z]/.test(name) ? name : `secret_${name}`
}
