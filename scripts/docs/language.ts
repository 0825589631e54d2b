import { stringify } from 'yaml'
import type { JsonSchema, JsonValue } from '../../src/core/json.ts'
import { type KeyRule, type KeyValue, type Section, sections } from '../../src/load/language/index.ts'
import { typeText } from '../../src/project/text/index.ts'
import type { Page } from './fill-page.ts'
import { code, table } from './table.ts'

/** docs/language.md: each section with its keys comes from the tables, what they mean is written by hand. */
export const languagePage: Page = {
  file: 'docs/language.md',
  parts: Object.fromEntries(
    Object.values(sections).map((section) => [section.name, () => sectionTable(section)]),
  ),
}

function sectionTable(section: Section): string {
  const rows = section.keys.map((rule) => [
    code(rule.key),
    [takes(rule), ...(rule.isRequired ? ['**required**'] : [])].join(', '),
    rule.default === undefined ? '' : code(valueText(rule.default)),
    [summary(rule), ...meanings(rule.value)].join(' '),
    rule.example === undefined ? '' : code(valueText(rule.example)),
  ])
  return `${section.summary}\n\n${table(['Key', 'Takes', 'Default', 'What it is', 'Such as'], rows)}`
}

/** Which type of trigger a key goes with stands in front of its summary; here it is said in words. */
function summary({ value, summary: text }: KeyRule): string {
  const [, type, words] = /^(incident|schedule): (.*)$/s.exec(text) ?? []
  const said = type === undefined ? text : `With \`type: ${type}\`: ${words}`
  const isSaid = value.kind !== 'data' || value.schema['anyOf'] !== undefined
  const rule = isSaid ? undefined : value.schema['errorMessage']
  return typeof rule === 'string' ? `${said} It ${rule}.` : said
}

function takes({ key, value }: KeyRule): string {
  switch (value.kind) {
    case 'words':
      return key === 'uses' ? '[action](actions.md)' : 'text'
    case 'duration':
      return `[duration](#durations-numbers-limits)${value.seesInputs ? ', [or of inputs](#settings)' : ''}`
    case 'condition':
      return '[condition](#expressions)'
    case 'map':
      return link(value.section)
    case 'list':
      return `list of ${link(value.section)}`
    case 'template':
      return `${schemaText(value.schema)}, evaluated`
    case 'data':
      return key === 'inputs'
        ? '[JSON Schema](#inputs)'
        : `${schemaText(value.schema)}${value.seesInputs ? ', [or of inputs](#settings)' : ''}`
  }
}

function link(section: string): string {
  return `[${section}](#${section})`
}

function schemaText(schema: JsonSchema): string {
  const { minimum, maximum, anyOf } = schema
  if (Array.isArray(anyOf))
    return (anyOf as readonly JsonSchema[]).map(({ title }) => String(title)).join(', or ')
  if (schema['enum'] !== undefined) return (schema['enum'] as readonly string[]).map(code).join(' ')
  const range =
    minimum === undefined ? '' : maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`
  const text = typeText(schema)
  return text === 'anything' ? 'any value' : text + range
}

/** What each of the words means. */
function meanings(value: KeyValue): readonly string[] {
  const schema: JsonSchema = value.kind === 'data' ? value.schema : {}
  const words = (schema['enum'] ?? []) as readonly string[]
  const descriptions = (schema['enumDescriptions'] ?? []) as readonly string[]
  return words.length < 2 ? [] : words.map((word, index) => `${code(word)}: ${descriptions[index] ?? ''}`)
}

/** A value as a runbook writes it, on one line. */
function valueText(value: JsonValue): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
}
