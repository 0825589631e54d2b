import { stringify } from 'yaml'
import { operations } from '../../api/operations/index.ts'
import type {
  ActionDescription,
  CallWindows,
  ConnectionLimit,
  RateLimit,
  Safety,
  SafetyRule,
} from '../../core/action.ts'
import { type ErrorCode, errorRule, errorRules } from '../../core/errors.ts'
import type { JsonSchema } from '../../core/json.ts'
import { formatDuration } from '../../core/times/index.ts'
import type { Paint } from '../../project/index.ts'
import { columns } from '../shared/terminal/columns.ts'
import { schemaRows } from './schema-rows.ts'

/** Describes an action for a terminal: safety, limits, arguments, outputs, errors and an example step. */
export function describeAction(action: ActionDescription, paint: Paint): readonly string[] {
  return [
    paint.bold(action.name),
    action.summary,
    '',
    ...columns(facts(action), (cell, _, column) => (column === 0 ? paint.dim(cell) : cell)),
    ...fields('Arguments', action.input, action.sensitiveInput ?? [], paint),
    ...fields('Outputs', action.output, action.sensitiveOutput ?? [], paint),
    '',
    paint.bold('Example'),
    ...exampleStep(action)
      .split('\n')
      .map((line) => `  ${line}`),
  ]
}

function facts(action: ActionDescription): readonly (readonly string[])[] {
  const { batch, serialize, minimumTimeoutMs, isLocal, limit, overHttp, errors = [] } = action
  const operation = operationFacts(action.name)
  const least = minimumTimeoutMs === undefined ? '' : `; at least ${formatDuration(minimumTimeoutMs)}`
  return [
    ['Safety', safetyText(action)],
    ...(operation === undefined ? [] : [['Permission', operation.permission]]),
    ...(limit === undefined ? [] : [['Limits', `${limitText(limit)}, for ${sharedBy(limit)}`]]),
    ...(overHttp?.connection === undefined ? [] : [['Connection', `${overHttp.connection}, of type http`]]),
    ...(batch === undefined
      ? []
      : [
          [
            'Batches',
            `any number of ${batch.argument}: one call takes ${batch.size}, and the results are merged`,
          ],
        ]),
    ...(serialize === undefined
      ? []
      : [['Queueing', `one call at a time for each ${serialize.map(lastWord).join(' and ')}`]]),
    ...(action.savesFile === 'always' ? [['File', 'writes a file: name it with save-as']] : []),
    ...(isLocal ? [] : [['Time', `${formatDuration(action.defaultTimeoutMs)} for one attempt${least}`]]),
    ...errors.map((code, index) => [index === 0 ? 'Errors' : '', errorText(code)]),
  ]
}

/** A code with its explanation. The codes of a project's own actions have none. */
function errorText(code: ErrorCode): string {
  return Object.hasOwn(errorRules, code) ? `${code}: ${errorRule(code).explanation}` : code
}

function lastWord(path: string): string {
  return path.split('.').at(-1) ?? path
}

function fields(
  title: string,
  schema: JsonSchema,
  sensitive: readonly string[],
  paint: Paint,
): readonly string[] {
  const rows = schemaRows(schema)
  if (rows.length === 0) return ['', paint.bold(title), `  ${String(schema['description'] ?? 'none')}`]
  const isSensitive = (name: string): boolean =>
    sensitive.some((field) => field === name.replaceAll('[]', '.*') || field === `${name}.*`)
  const cells = rows.map(({ name, type, isRequired, description }) => [
    name,
    `${type}${title === 'Arguments' && isRequired ? ', required' : ''}`,
    `${description}${isSensitive(name) ? ' Sensitive: masked in text.' : ''}`.trim(),
  ])
  const lines = columns(cells, (cell, _, column) => (column === 1 ? paint.dim(cell) : cell))
  return ['', paint.bold(title), ...lines.map((line) => `  ${line}`)]
}

/** A step that uses the action with its required arguments. */
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

/** `secrets`: the paths under the value that accept only secrets. */
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

/** A secret name that a runbook can declare. */
function secretName(field: string): string {
  const name = field.toLowerCase().replaceAll(/[^a-z0-9_]+/g, '_')
  return /^[a-z]/.test(name) ? name : `secret_${name}`
}

/** Facts that only actions of the service have. */
interface OperationFacts {
  readonly name: string
  readonly id: string
  readonly limit: RateLimit
  readonly permission: string
}

const known: readonly OperationFacts[] = Object.values(operations)

export function operationFacts(action: string): OperationFacts | undefined {
  return known.find(({ name }) => name === action)
}

export function limitOf(action: string): RateLimit | undefined {
  return operationFacts(action)?.limit
}

/** Such as `10/s, 600/min`. */
export function limitText({ perSecond, perMinute, perDay }: CallWindows): string {
  const windows = [
    [perSecond, 's'],
    [perMinute, 'min'],
    [perDay, 'day'],
  ] as const
  return windows.flatMap(([count, span]) => (count === undefined ? [] : [`${count}/${span}`])).join(', ')
}

/** Who shares the rate limit, in words. */
export function sharedBy({ per }: RateLimit | ConnectionLimit): string {
  if (per === 'connection') return 'its calls over the connection'
  return per === 'account' ? 'all keys of the account together' : 'each key separately'
}

type Judged = Pick<ActionDescription, 'safety' | 'safetyBy' | 'isLocal'>

/** The safety of an action, in one or two words. */
export function safetyWord({ safety, safetyBy, isLocal }: Judged): string {
  if (isLocal) return 'local'
  return safetyBy ? `by ${safetyBy.by}` : safety
}

/** The safety of an action, and what that means. `quote` marks words of the language. */
export function safetyText(
  { safety, safetyBy, isLocal }: Judged,
  quote: (word: string) => string = (word) => word,
): string {
  if (isLocal) return 'local: sends nothing itself'
  if (safetyBy) return ruleText(safetyBy, safety, quote)
  return `${quote(safety)}: ${meanings[safety]}`
}

const meanings: Readonly<Record<Safety, string>> = {
  read: 'changes nothing; can be repeated after any failure',
  idempotent: 'doing it twice has the effect of doing it once; can be repeated',
  create:
    'creates something new; never repeated when the answer is lost (OutcomeUnknown: a person resolves it)',
}

function ruleText(
  { argument, by, values }: SafetyRule,
  otherwise: Safety,
  quote: (word: string) => string,
): string {
  if (by === argument) return `${quote(otherwise)}, or what ${quote(argument)} says`
  const groups = [...new Set(Object.values(values))].map((safety) => {
    const words = Object.keys(values).filter((word) => values[word] === safety)
    return `${quote(safety)} for ${words.map(quote).join(', ')}`
  })
  return `by ${quote(by)}: ${groups.join('; ')}; otherwise ${quote(otherwise)}. ${quote(argument)} takes precedence.`
}
