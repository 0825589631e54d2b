import type { ActionDescription } from '../core/action.ts'
import type { Tolerance } from '../core/batch.ts'
import { parseDuration } from '../core/duration.ts'
import { suggest } from '../core/nearest.ts'
import type { ForEachPlan, StepPlan, UsesPlan } from '../core/plan.ts'
import { defaultRetry, defaultThrottle, type RetryPolicy, type ThrottlePolicy } from '../core/retry.ts'
import { checkArguments } from './check-arguments.ts'
import type { VisibleNames } from './check-names.ts'
import { compileCondition, compileTemplate } from './compile-template.ts'
import type { JsonPath } from './json-path.ts'
import type { RetryKeys, RunbookDocument, StepKeys, ThrottleKeys } from './runbook-document.ts'
import type { Source } from './source.ts'

/** Compiles one step. Undefined where a finding says why there is nothing to run. */
export function compileStep(
  source: Source,
  step: StepKeys,
  path: JsonPath,
  names: VisibleNames,
  actions: readonly ActionDescription[],
  defaults: RunbookDocument['defaults'],
): StepPlan | undefined {
  const condition =
    step.if === undefined ? undefined : compileCondition(source, step.if, [...path, 'if'], names)
  const forEach = step['for-each'] && compileForEach(source, step['for-each'], [...path, 'for-each'], names)
  const inner = forEach ? { ...names, roots: [...names.roots, forEach.as, 'index'] } : names
  const uses = compileUses(source, step, path, inner, actions, defaults)
  if (!uses) return undefined
  return {
    id: step.id,
    ...(step.name === undefined ? {} : { name: step.name }),
    ...(condition === undefined ? {} : { if: condition }),
    ...(forEach === undefined ? {} : { forEach }),
    uses,
  }
}

function compileForEach(
  source: Source,
  keys: NonNullable<StepKeys['for-each']>,
  path: JsonPath,
  names: VisibleNames,
): ForEachPlan {
  return {
    items: compileTemplate(source, keys.items, [...path, 'items'], names),
    as: keys.as ?? 'item',
    maxParallel: keys['max-parallel'] ?? 1,
    tolerate: tolerance(keys.tolerate),
  }
}

function compileUses(
  source: Source,
  step: StepKeys,
  path: JsonPath,
  names: VisibleNames,
  actions: readonly ActionDescription[],
  defaults: RunbookDocument['defaults'],
): UsesPlan | undefined {
  const action = actions.find(({ name }) => name === step.uses)
  if (!action) {
    const known = actions.map(({ name }) => name)
    const usesPath = [...path, 'uses']
    const message = `there is no action "${step.uses}"`
    source.findings.add(
      'UNKNOWN_ACTION',
      usesPath,
      source.rangeOf(usesPath),
      message,
      suggest(step.uses, known),
    )
    return undefined
  }
  checkArguments(source, action, step, path)
  const timeout = step['attempt-timeout'] ?? defaults?.['attempt-timeout']
  const { name, safety, batch, sensitiveOutput } = action
  return {
    action: {
      name,
      safety,
      ...(batch === undefined ? {} : { batch }),
      ...(sensitiveOutput === undefined ? {} : { sensitiveOutput }),
    },
    with: compileTemplate(source, step.with ?? {}, [...path, 'with'], names),
    retry: retryPolicy(defaults?.retry, step.retry),
    throttle: throttlePolicy(defaults?.throttle, step.throttle),
    tolerate: tolerance(step.tolerate),
    ...(step['save-as'] === undefined
      ? {}
      : { saveAs: compileTemplate(source, step['save-as'], [...path, 'save-as'], names) }),
    ...(timeout === undefined ? {} : { attemptTimeoutMs: milliseconds(timeout, 0) }),
  }
}

/** Merges key by key: the step's, the defaults of the runbook, the defaults of the language. */
function retryPolicy(defaults: RetryKeys | undefined, own: RetryKeys | undefined): RetryPolicy {
  const keys = { ...defaults, ...own }
  return {
    attempts: keys.attempts ?? defaultRetry.attempts,
    delayMs: milliseconds(keys.delay, defaultRetry.delayMs),
    backoff: keys.backoff ?? defaultRetry.backoff,
    maxDelayMs: milliseconds(keys['max-delay'], defaultRetry.maxDelayMs),
    ...(keys.errors === undefined ? {} : { errors: keys.errors }),
    ...(keys.except === undefined ? {} : { except: keys.except }),
  }
}

function throttlePolicy(defaults: ThrottleKeys | undefined, own: ThrottleKeys | undefined): ThrottlePolicy {
  return { maxWaitMs: milliseconds(own?.['max-wait'] ?? defaults?.['max-wait'], defaultThrottle.maxWaitMs) }
}

function milliseconds(text: string | undefined, otherwise: number): number {
  return (text === undefined ? undefined : parseDuration(text)) ?? otherwise
}

function tolerance(value: number | string | undefined): Tolerance {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  return value === 'all' ? 'all' : { percent: Number.parseFloat(value) }
}
