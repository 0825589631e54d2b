import type { ActionDescription } from '../../core/action.ts'
import { formatDuration } from '../../core/duration.ts'
import { type ErrorCode, errorRule, errorRules } from '../../core/errors.ts'
import type { JsonSchema } from '../../core/json.ts'
import { columns } from '../terminal/columns.ts'
import type { Paint } from '../terminal/paint.ts'
import { exampleStep } from './example-step.ts'
import { limitText, sharedBy } from './limit-text.ts'
import { operationFacts } from './operation-facts.ts'
import { safetyText } from './safety-text.ts'
import { schemaRows } from './schema-rows.ts'

/** Everything worth knowing about an action, for a terminal. */
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
  const { batch, serialize, minimumTimeoutMs, isLocal, errors = [] } = action
  const operation = operationFacts(action.name)
  const least = minimumTimeoutMs === undefined ? '' : `; at least ${formatDuration(minimumTimeoutMs)}`
  return [
    ['Safety', safetyText(action)],
    ...(operation === undefined
      ? []
      : [
          ['Permission', operation.permission],
          ['Limits', `${limitText(operation.limit)}, for ${sharedBy(operation.limit)}`],
        ]),
    ...(batch === undefined
      ? []
      : [
          [
            'Batches',
            `any number of ${batch.argument}: ${batch.size} go in one call, results come back as one`,
          ],
        ]),
    ...(serialize === undefined
      ? []
      : [['Turns', `one call at a time for each ${serialize.map(lastWord).join(' and ')}`]]),
    ...(action.savesFile === 'always' ? [['File', 'writes a file: name it with save-as']] : []),
    ...(isLocal ? [] : [['Time', `${formatDuration(action.defaultTimeoutMs)} for one attempt${least}`]]),
    ...errors.map((code, index) => [index === 0 ? 'Errors' : '', errorText(code)]),
  ]
}

/** What the table knows about a code; nothing about one that only an action of a project has. */
function errorText(code: ErrorCode): string {
  return Object.hasOwn(errorRules, code) ? `${code}: ${errorRule(code).explanation}` : code
}

function lastWord(place: string): string {
  return place.split('.').at(-1) ?? place
}

function fields(
  title: string,
  schema: JsonSchema,
  sensitive: readonly string[],
  paint: Paint,
): readonly string[] {
  const rows = schemaRows(schema)
  if (rows.length === 0) {
    return ['', paint.bold(title), `  ${String(schema['description'] ?? 'none')}`]
  }
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
