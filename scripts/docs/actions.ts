import { createActions } from '../../src/actions/index.ts'
import {
  exampleStep,
  limitText,
  safetyText,
  safetyWord,
  sharedBy,
} from '../../src/cli/actions/describe-action.ts'
import { type SchemaRow, schemaRows } from '../../src/cli/actions/schema-rows.ts'
import type { ActionDescription, BatchRule } from '../../src/core/action.ts'
import { builtinActions } from '../../src/core/builtins/definitions.ts'
import type { JsonSchema } from '../../src/core/json.ts'
import { formatDuration } from '../../src/core/times/duration.ts'
import type { Page } from './fill-page.ts'
import { code } from './table.ts'
import { list, wrap } from './wrap.ts'

const all: readonly ActionDescription[] = [...builtinActions, ...createActions()].toSorted((one, other) =>
  one.name < other.name ? -1 : 1,
)

/** docs/actions.md: every action comes from its record. */
export const actionsPage: Page = {
  file: 'docs/actions.md',
  parts: { overview, actions: () => all.map(section).join('\n\n') },
}

function overview(): string {
  return list(
    all.map((action) => {
      const limits = action.limit === undefined ? '' : `, ${limitText(action.limit)}`
      return `[${code(action.name)}](#${anchor(action.name)}): ${action.summary}. Safety: ${safetyWord(action)}${limits}.`
    }),
  )
}

/** As the common renderers of Markdown make it of a heading. */
function anchor(name: string): string {
  return name.replaceAll('/', '')
}

function section(action: ActionDescription): string {
  const { name, summary, input, output, batch, sensitiveInput = [], sensitiveOutput = [] } = action
  return [
    `## ${name}`,
    `${summary}.`,
    list(facts(action).map(([name, text]) => `**${name}**: ${text.replace(/\.$/, '')}.`)),
    fields('Arguments', schemaRows(input), input, sensitiveInput, true),
    fields(
      'Outputs',
      [...schemaRows(output), ...(batch === undefined ? [] : batchRows(batch))],
      output,
      sensitiveOutput,
      false,
    ),
    ...errors(action),
    ['```yaml', exampleStep(action), '```'].join('\n'),
  ].join('\n\n')
}

function facts(action: ActionDescription): readonly (readonly [string, string])[] {
  const { isLocal, permission, limit, batch, serialize, savesFile, minimumTimeoutMs } = action
  const least = minimumTimeoutMs === undefined ? '' : `; at least ${formatDuration(minimumTimeoutMs)}`
  return [
    ['Safety', safetyText(action, code)],
    ...(permission === undefined ? [] : [['Permission', permission] as const]),
    ...(limit === undefined ? [] : [['Limits', `${limitText(limit)}, for ${sharedBy(limit)}`] as const]),
    ...(batch === undefined
      ? []
      : [
          [
            'Batches',
            `any number of ${code(batch.argument)}: ${batch.size} go in one call, results come back as one`,
          ] as const,
        ]),
    ...(serialize === undefined ? [] : [['Order', 'calls for one target run one after another'] as const]),
    ...(savesFile === 'always' ? [['File', 'writes a file: name it with `save-as`'] as const] : []),
    ...(isLocal
      ? []
      : [['Time', `${formatDuration(action.defaultTimeoutMs)} for one attempt${least}`] as const]),
  ]
}

function fields(
  title: string,
  rows: readonly SchemaRow[],
  schema: JsonSchema,
  sensitive: readonly string[],
  saysRequired: boolean,
): string {
  if (rows.length === 0) return wrap(`**${title}**: ${String(schema['description'] ?? 'none.')}`)
  const items = rows.map(({ name, type, isRequired, description, meanings }) =>
    [
      `${code(name)} (${type}${saysRequired && isRequired ? ', **required**' : ''}):`,
      description,
      ...meanings.map(([value, meaning]) => `${code(value || '""')}: ${meaning}`),
      ...(isSensitive(name, sensitive) ? ['Sensitive: masked wherever it is shown.'] : []),
    ]
      .join(' ')
      .replaceAll(' | ', ', '),
  )
  return `**${title}**\n\n${list(items)}`
}

function isSensitive(name: string, fields: readonly string[]): boolean {
  return fields.some((field) => field === name.replaceAll('[]', '.*') || field === `${name}.*`)
}

/** What a batch adds to the outputs of its action. */
function batchRows({ argument, isPositional }: BatchRule): readonly SchemaRow[] {
  const row = (name: string, type: string, description: string): SchemaRow => ({
    name,
    type,
    isRequired: true,
    description,
    meanings: [],
  })
  return [
    row('total', 'whole number', `Number of ${argument}.`),
    row('succeeded', 'whole number', 'Number of those that succeeded.'),
    row('failed', 'whole number', 'Number of those that failed.'),
    row('failures', 'list of map', 'The failed ones: `index`, `code`, `message`.'),
    ...(isPositional ? [] : [row('missing', 'list of text', 'Those that are missing in the answer.')]),
  ]
}

function errors({ errors: codes = [], batch }: ActionDescription): readonly string[] {
  const own = [...codes, ...(batch === undefined ? [] : ['TooManyFailures'])]
  if (own.length === 0) return []
  const links = own.map((name) => `[${code(name)}](errors.md#${name.toLowerCase()})`)
  return [wrap(`**Errors of its own**: ${links.join(', ')}.`)]
}
