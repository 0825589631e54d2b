import { nearest } from '../core/nearest.ts'
import type { JsonPath } from './json-path.ts'
import { familiarKeys } from './language/familiar-keys.ts'
import { places, type StepKind, stepKindKeys, triggerKeys } from './language/index.ts'
import type { Source } from './source.ts'

const kinds = Object.keys(stepKindKeys) as StepKind[]

/** A step has exactly one of `uses`, `steps`, `parallel`, and only the keys that go with it. */
export function checkStepKind(source: Source, step: object, path: JsonPath): void {
  const found = kinds.filter((kind) => Object.hasOwn(step, kind))
  const [kind] = found
  if (kind === undefined) {
    if (!hasMisspelled('step', step, kinds))
      addKindFinding(source, path, source.rangeOf(path), 'none of them')
    return
  }
  if (found.length > 1) {
    addKindFinding(source, path, source.rangeOfKey([...path, found[1] ?? '']), found.join(' and '))
    return
  }
  for (const other of kinds) {
    if (other === kind) continue
    for (const key of stepKindKeys[other]) {
      if (!Object.hasOwn(step, key)) continue
      const isOfLoop = key === 'max-parallel' && Object.hasOwn(step, 'for-each')
      const hint = isOfLoop ? 'for the items of a loop it stands under for-each' : undefined
      refuseKey(source, [...path, key], `goes with "${other}", and this step has "${kind}"`, hint)
    }
  }
}

function addKindFinding(
  source: Source,
  path: JsonPath,
  range: ReturnType<Source['rangeOf']>,
  found: string,
): void {
  const message = `a step has exactly one of uses, steps, parallel; this one has ${found}`
  source.findings.add('NOT_ONE_STEP_KIND', path, range, message)
}

/** Whether an unknown key is probably meant to be one of these: the finding about it says so. */
export function hasMisspelled(place: 'step' | 'trigger', value: object, meant: readonly string[]): boolean {
  const known = places[place].keys.map(({ key }) => key)
  const meaning = (key: string): string => familiarKeys.get(key) ?? nearest(key, known) ?? ''
  return Object.keys(value).some((key) => !known.includes(key) && meant.includes(meaning(key)))
}

/** A trigger has only the keys that go with its type, and a schedule exactly one rhythm. */
export function checkTriggerType(source: Source, trigger: object, path: JsonPath): void {
  const { type } = trigger as { readonly type?: unknown }
  if (type !== 'incident' && type !== 'schedule') return
  const other = type === 'incident' ? 'schedule' : 'incident'
  for (const key of triggerKeys[other]) {
    if (!Object.hasOwn(trigger, key)) continue
    refuseKey(source, [...path, key], `goes with "type: ${other}", and this trigger has "type: ${type}"`)
  }
  const hasCron = Object.hasOwn(trigger, 'cron')
  if (type !== 'schedule' || hasCron !== Object.hasOwn(trigger, 'every')) return
  if (!hasCron && hasMisspelled('trigger', trigger, ['cron', 'every'])) return
  const message = `a schedule has exactly one of cron and every; this one has ${hasCron ? 'both' : 'neither'}`
  source.findings.add('NOT_ONE_SCHEDULE', path, source.rangeOf(path), message)
}

function refuseKey(source: Source, path: JsonPath, reason: string, hint?: string): void {
  const message = `"${String(path.at(-1))}" ${reason}`
  source.findings.add('MISPLACED_KEY', path, source.rangeOfKey(path), message, hint)
}
