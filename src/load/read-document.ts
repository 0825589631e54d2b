import { isJsonObject, type JsonPath, type JsonSchema } from '../core/json.ts'
import { quote } from '../core/text/index.ts'
import { checkStepKind, checkTriggerType } from './check-kinds.ts'
import { hintForMap } from './check-shape.ts'
import { expressionPaths, hasExpression } from './expressions/segments.ts'
import {
  type KeyRule,
  type KeyValue,
  ruleIn,
  type Section,
  type SectionName,
  sections,
} from './language/index.ts'
import { runbookLimits } from './limits.ts'
import type { RunbookYaml } from './runbook-document.ts'
import type { Source } from './source.ts'
import { readablePart, unreadableText } from './yaml/findings.ts'

interface Reader {
  readonly source: Source
  steps: number
}

/**
 * The parts of a runbook with the right shape, and findings about rules that a schema cannot express: which keys go
 * together, and which take no expression. Values of the wrong kind are left out; the check of the shape reports them.
 */
export function readDocument(source: Source): RunbookYaml {
  const read = readSection({ source, steps: 0 }, 'document', source.value, [])
  return (read ?? {}) as RunbookYaml
}

function readSection(
  reader: Reader,
  name: SectionName,
  value: unknown,
  path: JsonPath,
): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonObject(value)) return undefined
  const section: Section = sections[name]
  if (name === 'step') {
    countStep(reader, path)
    checkStepKind(reader.source, value, path)
  }
  if (name === 'trigger') checkTriggerType(reader.source, value, path)
  // Of steps beyond the limit the name is enough: others may mean them, and reading on would take long.
  const isBeyond = name === 'step' && reader.steps > runbookLimits.steps
  const keys = isBeyond ? section.keys.filter(({ key }) => key === 'id') : section.keys
  const read: Record<string, unknown> = {}
  for (const rule of keys) {
    if (!Object.hasOwn(value, rule.key)) continue
    const taken = readKey(reader, ruleIn(value, rule), value[rule.key], [...path, rule.key])
    if (taken !== undefined) read[rule.key] = taken
  }
  return read
}

function readKey(reader: Reader, rule: KeyRule, value: unknown, path: JsonPath): unknown {
  const { value: takes } = rule
  if (takes.kind === 'template')
    return takes.schema['type'] === 'string' && typeof value !== 'string' ? undefined : value
  if (takes.kind === 'condition')
    return typeof value === 'string' || typeof value === 'boolean' ? value : undefined
  if (rule.key === 'inputs') return isJsonObject(value) ? readablePart(value) : undefined
  checkFixed(reader.source, rule, value, path)
  if (isSetting(takes, value)) return value
  // The check of ids reports one of another kind.
  if (rule.key === 'id') return value
  // A loop that cannot be read is one: what it would give to its step can be anything.
  if (rule.key === 'for-each') return readSection(reader, 'for-each', value, path) ?? {}
  if (takes.kind === 'map') return readSection(reader, takes.section, value, path)
  if (takes.kind === 'list') return readList(reader, takes.section, value, path)
  return value !== unreadableText && fits(takes, value) ? value : undefined
}

function readList(reader: Reader, name: SectionName, value: unknown, path: JsonPath): unknown {
  if (!Array.isArray(value)) return undefined
  return value.map((item, index) =>
    name === 'expectation' && (typeof item === 'string' || typeof item === 'boolean')
      ? item
      : readSection(reader, name, item, [...path, index]),
  )
}

/** Whether the inputs decide what the key comes to. */
function isSetting(takes: KeyValue, value: unknown): boolean {
  return 'seesInputs' in takes && typeof value === 'string' && hasExpression(value)
}

/** Whether a value is of the kind that its key needs; what is wrong inside it does not matter here. */
function fits(takes: KeyValue, value: unknown): boolean {
  if (takes.kind !== 'data') return typeof value === 'string'
  const { type } = takes.schema as JsonSchema
  if (type === undefined) return typeof value !== 'object'
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  return typeof value === (type === 'integer' ? 'number' : type)
}

function countStep(reader: Reader, path: JsonPath): void {
  reader.steps++
  if (reader.steps !== runbookLimits.steps + 1) return
  const { source } = reader
  const message = `a runbook has at most ${runbookLimits.steps} steps, and this is one more`
  source.add('TOO_MANY_STEPS', path, message, 'move steps to a runbook of their own')
}

/** Keys that are fixed when the runbook is loaded take no expression; in words for people it would never be evaluated. */
function checkFixed(source: Source, { key, value: takes }: KeyRule, value: unknown, path: JsonPath): void {
  const isForPeople = takes.kind === 'words' && (key === 'name' || key === 'title' || key === 'description')
  if (isSetting(takes, value)) return
  const isMapOrList = takes.kind === 'map' || takes.kind === 'list'
  if (isMapOrList && typeof value !== 'string') return
  for (const at of expressionPaths(value, path)) {
    if (isForPeople) {
      const message = `"${key}" is never evaluated: the expression stays as it is written`
      source.warn('EXPRESSION_NOT_EVALUATED', at, message)
    } else {
      const written = isMapOrList ? hintForMap(at, quote(value)) : undefined
      const message = `"${key}" is fixed when the runbook is loaded and takes no expression`
      source.add('EXPRESSION_NOT_ALLOWED', at, message, written ?? 'write the value itself')
    }
  }
}
