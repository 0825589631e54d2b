import type { ActionDescription } from '../../core/action.ts'
import type { ExpressionTree } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonPath } from '../../core/json.ts'
import type { SecretPosition } from '../../core/plan/index.ts'
import { suggest } from '../../core/text/index.ts'
import { parseExpression } from '../expressions/parse-expression.ts'
import { splitSegments } from '../expressions/segments.ts'
import type { Source } from '../source.ts'
import { isUnknownYet, unreadableText } from '../yaml/findings.ts'

/** Arguments without their sensitive fields, and where secrets go. */
export interface TakenSecrets {
  readonly rest: unknown
  readonly positions: readonly SecretPosition[]
  /** The paths of all fields that were taken out, those with a finding included. */
  readonly fields: readonly (readonly string[])[]
}

/** A field of an action that takes a secret: as `${{ secrets.name }}`, or by the name alone. */
interface SecretField {
  readonly path: readonly string[]
  readonly isByName: boolean
  /** The value that holds it can be another one. */
  readonly isOptional?: true
}

/**
 * Takes the fields out of the arguments of an action that take secrets. The plan holds their positions, and no value
 * ever passes through expressions, journal or history.
 */
export function takeSecrets(
  source: Source,
  given: unknown,
  path: JsonPath,
  action: ActionDescription,
  declared: readonly string[],
): TakenSecrets {
  const known = secretFields(action)
  const positions: SecretPosition[] = []
  const fields: (readonly string[])[] = []
  const read = (value: unknown, here: readonly string[], { isByName }: SecretField): void => {
    const at = [...path, ...here]
    const name = isByName ? readName(source, value, at, action) : readSecret(source, value, at, action)
    fields.push(here)
    if (name !== undefined && isDeclared(source, name, at, declared)) positions.push({ path: here, name })
  }
  const take = (value: unknown, at: readonly string[]): unknown => {
    if (!isJsonObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) => {
        const here = [...at, key]
        const field = known.find((one) => isMatch(one.path, here))
        if (field) {
          read(item, here, field)
          return []
        }
        const holder = known.find((one) => isMatch(one.path.slice(0, here.length), here))
        if (holder && !holder.isOptional && typeof item === 'string' && isUnknownYet(item))
          reportWhole(source, [...path, ...here], action, holder)
        return [[key, take(item, here)] as const]
      }),
    )
  }
  const first = known.find((field) => !field.isOptional)
  if (known.length === 0) return { rest: given, positions, fields }
  if (first !== undefined && typeof given === 'string') reportWhole(source, path, action, first)
  return { rest: take(given, []), positions, fields }
}

/** The same for an action that is not loaded: any argument may be one that takes a secret. */
export function takeAllSecrets(
  source: Source,
  given: unknown,
  path: JsonPath,
  declared: readonly string[],
): TakenSecrets {
  const positions: SecretPosition[] = []
  const fields: (readonly string[])[] = []
  const take = (value: unknown, at: readonly string[]): unknown => {
    if (!isJsonObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) => {
        const here = [...at, key]
        const name = wholeSecret(item)
        if (name === undefined) return [[key, take(item, here)] as const]
        fields.push(here)
        if (isDeclared(source, name, [...path, ...here], declared)) positions.push({ path: here, name })
        return []
      }),
    )
  }
  return { rest: take(given, []), positions, fields }
}

function secretFields({
  sensitiveInput = [],
  secretNames = [],
  optionalSecretNames = [],
}: ActionDescription): readonly SecretField[] {
  return [
    ...sensitiveInput.map((path) => ({ path: path.split('.'), isByName: false })),
    ...secretNames.map((path) => ({ path: path.split('.'), isByName: true })),
    ...optionalSecretNames.map((path) => ({
      path: path.split('.'),
      isByName: true,
      isOptional: true as const,
    })),
  ]
}

/** A map of secrets that comes from elsewhere would pass through the journal. */
function reportWhole(
  source: Source,
  path: JsonPath,
  action: ActionDescription,
  { isByName }: SecretField,
): void {
  const message = `${String(path.at(-1))} of ${action.name} holds secrets and is written out key by key`
  const hint = isByName ? 'each by its name' : 'each value as ${{ secrets.name }}'
  source.add('LITERAL_SECRET', path, message, hint)
}

function isMatch(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length && pattern.every((part, index) => part === '*' || part === path[index])
  )
}

/** The name in `${{ secrets.name }}`, which has to be the whole value; anything else is a finding. */
function readSecret(
  source: Source,
  value: unknown,
  path: JsonPath,
  action: ActionDescription,
): string | undefined {
  if (value === unreadableText) return undefined
  const name = wholeSecret(value)
  if (name !== undefined) return name
  const key = String(path.at(-1))
  const isExpression = typeof value === 'string' && isUnknownYet(value)
  const message = isExpression
    ? `${key} is a secret of ${action.name}: it is one name of "secrets", and never computed`
    : `${key} is a secret of ${action.name} and is never written in a runbook`
  const hint = isExpression
    ? 'write ${{ secrets.name }} as the whole value'
    : isJsonObject(value)
      ? `the action takes one secret here; to take a map of them, it has to say sensitiveInput: ['${key}.*']`
      : 'declare a name under secrets, and write ${{ secrets.name }}'
  source.add('LITERAL_SECRET', path, message, hint)
  return undefined
}

function wholeSecret(value: unknown): string | undefined {
  const segments = typeof value === 'string' ? splitSegments(value) : []
  const [only] = segments
  const parsed =
    segments.length === 1 && only?.kind === 'expression' ? parseExpression(only.source) : undefined
  return parsed && 'tree' in parsed ? secretName(parsed.tree) : undefined
}

/** A name that is written out. */
function readName(
  source: Source,
  value: unknown,
  path: JsonPath,
  action: ActionDescription,
): string | undefined {
  if (value === unreadableText) return undefined
  const key = String(path.at(-1))
  if (typeof value === 'string' && isUnknownYet(value)) {
    const name = /\bsecrets\.(\w+)/.exec(value)?.[1] ?? 'name'
    const message = `${key} of ${action.name} is the name of a secret, written out`
    source.add('EXPRESSION_NOT_ALLOWED', path, message, `${key}: ${name}`)
    return undefined
  }
  if (typeof value === 'string') return value
  const message = `${key} of ${action.name} is the name of a secret`
  source.add('WRONG_ARGUMENT', path, message, 'one of those under secrets')
  return undefined
}

function isDeclared(source: Source, name: string, path: JsonPath, declared: readonly string[]): boolean {
  if (declared.includes(name)) return true
  const isName = /^[a-z][a-z0-9_]*$/.test(name)
  // What is no name may be the secret itself, and is not repeated.
  const message = isName ? `the runbook declares no secret "${name}"` : 'this is not the name of a secret'
  const add = isName ? `add it: secrets: [${name}]` : 'declare a name under secrets, and write that'
  const hint = declared.length === 0 || !isName ? add : suggest(name, declared)
  source.add('UNKNOWN_SECRET', path, message, hint)
  return false
}

/** The name in `secrets.name`, if that is the whole expression. */
export function secretName(tree: ExpressionTree): string | undefined {
  return tree.kind === 'member' && tree.of.kind === 'name' && tree.of.name === 'secrets'
    ? tree.name
    : undefined
}
