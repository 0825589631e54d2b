/** The language as tables: each place of a runbook with its keys. */
import {
  concurrencyPlace,
  cooldownPlace,
  defaultsPlace,
  documentPlace,
  maxStartsPlace,
  triggerPlace,
} from './document.ts'
import type { Place, PlaceName } from './place.ts'
import {
  catchPlace,
  expectationPlace,
  forEachPlace,
  repeatPlace,
  retryPlace,
  stepPlace,
  throttlePlace,
} from './step.ts'

export const places: Readonly<Record<PlaceName, Place>> = {
  document: documentPlace,
  defaults: defaultsPlace,
  trigger: triggerPlace,
  cooldown: cooldownPlace,
  'max-starts': maxStartsPlace,
  concurrency: concurrencyPlace,
  step: stepPlace,
  'for-each': forEachPlace,
  retry: retryPlace,
  throttle: throttlePlace,
  repeat: repeatPlace,
  expectation: expectationPlace,
  catch: catchPlace,
}

export { triggerKeys } from './document.ts'
export type { KeyRule, KeyValue, Place, PlaceName } from './place.ts'
export { type StepKind, stepKindKeys } from './step.ts'
