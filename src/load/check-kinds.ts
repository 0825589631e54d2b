import type { JsonPath } from '../core/json.ts'
import { nearest } from '../core/text/index.ts'
import { type SectionName, type StepKind, sections, stepKindKeys, triggerKeys } from './language/index.ts'
import { familiarKeys, hintForStepKey } from './language/other-tools.ts'
import type { Source } from './source.ts'

const kinds = Object.keys(stepKindKeys) as StepKind[]
/** The keys that do not go with every kind. */
const keysOfKinds: ReadonlySet<string> = new Set(Object.values(stepKindKeys).flat())

/** A step has exactly one of `uses`, `steps`, `parallel`, `choose`, and only the keys that go with it. */
export function checkStepKind(source: Source, step: object, path: JsonPath): void {
  const found = kinds.filter((kind) => Object.hasOwn(step, kind))
  const [kind] = found
  if (kind === undefined) {
    // An unknown key, unless it is another one that is misspelled, is the kind that is missed.
    if (!meantKeys('step', step).some((key) => key === undefined || (kinds as string[]).includes(key)))
      addKindFinding(source, path, source.rangeOf(path), 'none of them')
    return
  }
  if (found.length > 1) {
    addKindFinding(source, path, source.rangeOf({ key: [...path, found[1] ?? ''] }), found.join(' and '))
    return
  }
  for (const key of keysOfKinds) {
    if (!Object.hasOwn(step, key) || stepKindKeys[kind].includes(key)) continue
    const others = kinds.filter((other) => stepKindKeys[other].includes(key)).map((other) => `"${other}"`)
    const hint = hintFor(key, step)
    refuseKey(source, [...path, key], `goes with ${others.join(' or ')}, and this step has "${kind}"`, hint)
  }
  if (kind === 'steps' && Object.hasOwn(step, 'repeat') && Object.hasOwn(step, 'for-each')) {
    const reason = 'and "for-each" are not keys of one step'
    refuseKey(source, [...path, 'repeat'], reason, 'put a block with "repeat" into the block of the loop')
  }
}

function hintFor(key: string, step: object): string | undefined {
  if (key === 'repeat') return 'put the step into a block: steps: […]'
  return key === 'max-parallel' && Object.hasOwn(step, 'for-each')
    ? 'for the items of a loop it belongs under for-each'
    : undefined
}

function addKindFinding(
  source: Source,
  path: JsonPath,
  range: ReturnType<Source['rangeOf']>,
  found: string,
): void {
  const message = `a step has exactly one of ${kinds.join(', ')}; this one has ${found}`
  source.findings.add('NOT_ONE_STEP_KIND', path, range, message)
}

/** What each unknown key probably means: the finding about it names that key. */
export function meantKeys(section: SectionName, value: object): readonly (string | undefined)[] {
  const known = sections[section].keys.map(({ key }) => key)
  const unknown = Object.keys(value).filter((key) => !known.includes(key))
  // A word of another tool has a hint of its own.
  const near = (key: string): string | undefined => (hintForStepKey(key) ? undefined : nearest(key, known))
  return unknown.map((key) => known.find((one) => one === familiarKeys.get(key)) ?? near(key))
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
  if (!hasCron && meantKeys('trigger', trigger).some((key) => key === 'cron' || key === 'every')) return
  const message = `a schedule has exactly one of cron and every; this one has ${hasCron ? 'both' : 'neither'}`
  source.add('NOT_ONE_SCHEDULE', path, message)
}

function refuseKey(source: Source, path: JsonPath, reason: string, hint?: string): void {
  const message = `"${String(path.at(-1))}" ${reason}`
  source.add('MISPLACED_KEY', { key: path }, message, hint)
}
