import type { ActionDescription } from '../../core/action.ts'
import type { ExpressionTree } from '../../core/expressions/tree.ts'
import { isJsonObject } from '../../core/json.ts'
import { suggest } from '../../core/nearest.ts'
import type { SecretPosition } from '../../core/plan.ts'
import type { JsonPath } from '../json-path.ts'
import { parseExpression } from '../parse-expression.ts'
import { splitSegments } from '../segments.ts'
import type { Source } from '../source.ts'
import { unreadable } from '../yaml/unreadable.ts'

/** Arguments without their sensitive fields, and where secrets go. */
export interface TakenSecrets {
  readonly rest: unknown
  readonly positions: readonly SecretPosition[]
  /** The paths of all fields that were taken out, those with a finding included. */
  readonly fields: readonly (readonly string[])[]
}

/**
 * Takes the sensitive fields out of the arguments of an action. Each must be a whole `${{ secrets.name }}`: the
 * plan holds the position, and no value ever passes through expressions, journal or history.
 */
export function takeSecrets(
  source: Source,
  given: unknown,
  path: JsonPath,
  action: ActionDescription,
  declared: readonly string[],
): TakenSecrets {
  const patterns = (action.sensitiveInput ?? []).map((pattern) => pattern.split('.'))
  const positions: SecretPosition[] = []
  const fields: (readonly string[])[] = []

  const take = (value: unknown, at: readonly string[]): unknown => {
    if (!isJsonObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) => {
        const here = [...at, key]
        const holdsSecrets = patterns.some((pattern) => isMatch(pattern.slice(0, here.length), here))
        if (holdsSecrets && typeof item === 'string' && !patterns.some((pattern) => isMatch(pattern, here))) {
          reportWhole(source, [...path, ...here], action)
        }
        if (!patterns.some((pattern) => isMatch(pattern, here))) return [[key, take(item, here)] as const]
        fields.push(here)
        const name = readSecret(source, item, [...path, ...here], action, declared)
        if (name !== undefined) positions.push({ path: here, name })
        return []
      }),
    )
  }
  if (patterns.length === 0) return { rest: given, positions, fields }
  if (typeof given === 'string') reportWhole(source, path, action)
  return { rest: take(given, []), positions, fields }
}

/** A map of secrets that comes from elsewhere would pass through the journal. */
function reportWhole(source: Source, path: JsonPath, action: ActionDescription): void {
  const message = `${String(path.at(-1))} of ${action.name} holds secrets and is written out key by key`
  const hint = 'each value as ${{ secrets.name }}'
  source.findings.add('LITERAL_SECRET', path, source.rangeOf(path), message, hint)
}

function isMatch(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length && pattern.every((part, index) => part === '*' || part === path[index])
  )
}

function readSecret(
  source: Source,
  value: unknown,
  path: JsonPath,
  action: ActionDescription,
  declared: readonly string[],
): string | undefined {
  if (value === unreadable) return undefined
  const range = source.rangeOf(path)
  const segments = typeof value === 'string' ? splitSegments(value) : []
  const [only] = segments
  const parsed =
    segments.length === 1 && only?.kind === 'expression' ? parseExpression(only.source) : undefined
  const name = parsed && 'tree' in parsed ? secretName(parsed.tree) : undefined
  if (name === undefined) {
    const message = `${String(path.at(-1))} is a secret of ${action.name} and never stands in a runbook`
    source.findings.add(
      'LITERAL_SECRET',
      path,
      range,
      message,
      'declare a name under secrets, and write ${{ secrets.name }}',
    )
    return undefined
  }
  if (declared.includes(name)) return name
  const hint = declared.length === 0 ? `add it: secrets: [${name}]` : suggest(name, declared)
  source.findings.add('UNKNOWN_SECRET', path, range, `the runbook declares no secret "${name}"`, hint)
  return undefined
}

/** The name in `secrets.name`, if that is the whole expression. */
export function secretName(tree: ExpressionTree): string | undefined {
  return tree.kind === 'member' && tree.of.kind === 'name' && tree.of.name === 'secrets'
    ? tree.name
    : undefined
}
