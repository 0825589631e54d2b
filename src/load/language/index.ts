/** The language as tables: each section of a runbook with its keys. */
import {
  concurrencySection,
  cooldownSection,
  defaultsSection,
  documentSection,
  maxStartsSection,
  triggerSection,
} from './document.ts'
import { catchSection, expectationSection, retrySection, throttleSection } from './failures.ts'
import { forEachSection, repeatSection, turnsSection } from './loops.ts'
import { type KeyRule, map, type Section, type SectionName } from './section.ts'
import { branchSection, stepSection } from './step.ts'

export const sections: Readonly<Record<SectionName, Section>> = {
  document: documentSection,
  defaults: defaultsSection,
  trigger: triggerSection,
  cooldown: cooldownSection,
  'max-starts': maxStartsSection,
  concurrency: concurrencySection,
  step: stepSection,
  'for-each': forEachSection,
  retry: retrySection,
  throttle: throttleSection,
  repeat: repeatSection,
  turns: turnsSection,
  expectation: expectationSection,
  catch: catchSection,
  branch: branchSection,
}

/** The rule of a key in this map: `repeat` takes other keys where it is not that of a call. */
export function ruleIn(holder: object, rule: KeyRule): KeyRule {
  const isRepeat = rule.value.kind === 'map' && rule.value.section === 'repeat'
  return isRepeat && isHolder(holder) ? { ...rule, value: map('turns') } : rule
}

function isHolder(step: object): boolean {
  const holdsSteps = ['steps', 'parallel', 'choose'].some((key) => Object.hasOwn(step, key))
  return holdsSteps && !Object.hasOwn(step, 'uses')
}

export { triggerKeys } from './document.ts'
export type { KeyRule, KeyValue, Section, SectionName } from './section.ts'
export { type StepKind, stepKindKeys } from './step.ts'
