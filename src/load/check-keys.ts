import { isJsonObject } from '../core/json.ts'
import type { JsonPath } from './json-path.ts'
import {
  type KeyRule,
  type Place,
  type PlaceName,
  places,
  type StepKind,
  stepKindKeys,
  triggerKeys,
} from './language/index.ts'
import { hasExpression } from './segments.ts'
import type { Source } from './source.ts'

/** Checks what a schema cannot say about keys: which go together, and which take no expression. */
export function checkKeys(source: Source): void {
  checkPlace(source, 'document', source.value, [])
}

function checkPlace(source: Source, name: PlaceName, value: unknown, path: JsonPath): void {
  if (!isJsonObject(value)) return
  const place: Place = places[name]
  if (name === 'step') checkStepKind(source, value, path)
  if (name === 'trigger') checkTriggerType(source, value, path)
  for (const rule of place.keys) {
    if (Object.hasOwn(value, rule.key)) checkKey(source, rule, value[rule.key], [...path, rule.key])
  }
}

function checkKey(source: Source, { key, value: takes }: KeyRule, value: unknown, path: JsonPath): void {
  if (takes.kind === 'map') checkPlace(source, takes.place, value, path)
  if (takes.kind === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkPlace(source, takes.place, item, [...path, index])
  }
  const isFixed = takes.kind === 'data' || takes.kind === 'duration' || takes.kind === 'words'
  if (!isFixed || key === 'inputs') return
  for (const at of expressionPaths(value, path)) {
    if (takes.kind === 'words' && key !== 'uses' && key !== 'connection') {
      const message = `"${key}" is never evaluated: the expression stays as it is written`
      source.findings.warn('EXPRESSION_NOT_EVALUATED', at, source.rangeOf(at), message)
    } else {
      const message = `"${key}" is fixed when the runbook is loaded and takes no expression`
      source.findings.add('EXPRESSION_NOT_ALLOWED', at, source.rangeOf(at), message, 'write the value itself')
    }
  }
}

function expressionPaths(value: unknown, path: JsonPath): readonly JsonPath[] {
  if (typeof value === 'string') return hasExpression(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    expressionPaths(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

function checkStepKind(source: Source, step: object, path: JsonPath): void {
  const kinds = (Object.keys(stepKindKeys) as StepKind[]).filter((kind) => Object.hasOwn(step, kind))
  const [kind] = kinds
  if (kinds.length !== 1 || kind === undefined) {
    const found = kinds.length === 0 ? 'none of them' : kinds.join(' and ')
    const place = kinds.length === 0 ? source.rangeOf(path) : source.rangeOfKey([...path, kinds[1] ?? ''])
    const message = `a step has exactly one of uses, steps, parallel; this one has ${found}`
    source.findings.add('NOT_ONE_STEP_KIND', path, place, message)
    return
  }
  for (const other of Object.keys(stepKindKeys) as StepKind[]) {
    if (other === kind) continue
    refuseKeys(source, step, path, stepKindKeys[other], `goes with "${other}", and this step has "${kind}"`)
  }
}

function checkTriggerType(source: Source, trigger: object, path: JsonPath): void {
  const type = (trigger as { readonly type?: unknown }).type
  if (type !== 'incident' && type !== 'schedule') return
  const other = type === 'incident' ? 'schedule' : 'incident'
  refuseKeys(
    source,
    trigger,
    path,
    triggerKeys[other],
    `goes with "type: ${other}", and this trigger has "type: ${type}"`,
  )
  const hasCron = Object.hasOwn(trigger, 'cron')
  const hasEvery = Object.hasOwn(trigger, 'every')
  if (type === 'schedule' && hasCron === hasEvery) {
    const message = `a schedule has exactly one of cron and every; this one has ${hasCron ? 'both' : 'neither'}`
    source.findings.add('NOT_ONE_SCHEDULE', path, source.rangeOf(path), message)
  }
}

function refuseKeys(
  source: Source,
  holder: object,
  path: JsonPath,
  keys: readonly string[],
  reason: string,
): void {
  for (const key of keys) {
    if (!Object.hasOwn(holder, key)) continue
    const place = [...path, key]
    source.findings.add('MISPLACED_KEY', place, source.rangeOfKey(place), `"${key}" ${reason}`)
  }
}
