import type { ActionDescription } from '../../core/action.ts'
import { concurrencyOf } from '../../core/concurrency-key.ts'
import { argumentProblems } from '../../core/forecast/forecast-plan.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { createMask } from '../../core/mask/mask.ts'
import type { Plan, TriggerPlan } from '../../core/plan.ts'
import { sensitiveInputs } from '../../core/record/sensitive-inputs.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { Candidate, IncomingEvent, Offer } from '../../core/triggers/offer.ts'
import { checkInputs } from '../../load/index.ts'
import { createEventMask, keyWithoutSecrets, type MaskValue } from './event-secrets.ts'
import { locateProblem } from './locate-problem.ts'
import { createTriggerReader, type MappingProblem } from './read-trigger.ts'
import type { TriggeredRunbook } from './runbook.ts'
import { valuesSeen } from './values-seen.ts'

/** What an event is held against. */
export interface OfferOptions {
  readonly runbooks: readonly TriggeredRunbook[]
  readonly actions: readonly ActionDescription[]
  /** Takes out of what is recorded what is not to be shown, besides what is called a secret. @default nothing */
  readonly mask?: MaskValue
}

/** What an event could start: a candidate for each trigger of its type and hook. The past plays no part in it. */
export function makeOffer(event: IncomingEvent, options: OfferOptions): Offer {
  const { runbooks, actions, mask: known = (value) => value } = options
  const mask = createEventMask(event.body, known)
  const candidates = runbooks.flatMap((runbook) =>
    (runbook.plan.triggers ?? []).flatMap((trigger, place) =>
      isFor(trigger, event) ? [masked(judge({ runbook, trigger, place, actions }, event), mask)] : [],
    ),
  )
  // After the triggers: they decide on what has come in.
  return { event: { ...event, id: keyWithoutSecrets(event.id, mask), body: mask(event.body) }, candidates }
}

/** What a run is started with is not touched; what it is remembered by stands in messages, and in its id. */
function masked(candidate: Candidate, mask: MaskValue): Candidate {
  if (!('because' in candidate)) {
    const { dedupeKey, cooldown } = candidate
    return {
      ...candidate,
      ...(dedupeKey === undefined ? {} : { dedupeKey: keyWithoutSecrets(dedupeKey, mask) }),
      ...(cooldown?.key === undefined
        ? {}
        : { cooldown: { ...cooldown, key: keyWithoutSecrets(cooldown.key, mask) } }),
    }
  }
  const { message, details } = candidate
  return {
    ...candidate,
    message: mask(message),
    ...(details === undefined ? {} : { details: mask(details) }),
  }
}

type EventTrigger = Extract<TriggerPlan, { readonly type: 'incident' }>

function isFor(trigger: TriggerPlan, { type, hook }: IncomingEvent): trigger is EventTrigger {
  if (trigger.type === 'schedule' || trigger.type !== type) return false
  return trigger.hook === undefined || trigger.hook === hook
}

interface Judged {
  readonly runbook: TriggeredRunbook
  readonly trigger: EventTrigger
  readonly place: number
  readonly actions: readonly ActionDescription[]
}

/** A mapping that fails concerns its own trigger alone. */
function judge({ runbook, trigger, place, actions }: Judged, event: IncomingEvent): Candidate {
  const { plan } = runbook
  const { where, cooldown, maxStarts } = trigger
  const who = { runbook: plan.name, trigger: place }
  const path = ['triggers', place]
  const scope = { event: event.body }
  const reader = createTriggerReader(scope)
  const failed = (problem: MappingProblem): Candidate => {
    return { ...who, because: 'mapping_failed', ...locateProblem(problem, runbook) }
  }
  const isWanted = where === undefined || reader.isTrue(where, [...path, 'where'])
  if (reader.problem) return failed(reader.problem)
  if (where && !isWanted) {
    const details = { where: where.source, values: valuesSeen(where, scope) }
    return { ...who, because: 'where_false', message: `its condition is false: ${where.source}`, details }
  }
  const given = trigger.with === undefined ? {} : reader.value(trigger.with, [...path, 'with'])
  const dedupeKey = reader.key(trigger.dedupeKey, [...path, 'dedupe-key'])
  const cooldownKey = reader.key(cooldown?.key, [...path, 'cooldown', 'key'])
  if (reader.problem) return failed(reader.problem)
  const { inputs, problems } = check(plan, isJsonObject(given) ? given : {}, actions)
  const ofSensitive = createMask(sensitiveInputs(plan.inputs, inputs))
  const remembered = (key: string): string =>
    keyWithoutSecrets(key, <T extends JsonValue>(value: T): T => ofSensitive.value(value) as T)
  if (problems.length > 0) {
    return {
      ...who,
      because: 'inputs_invalid',
      message: problems.join('; '),
      details: { inputs: ofSensitive.value(given) },
    }
  }
  const ofInputs = createTriggerReader({ inputs, run: { id: '-', name: plan.name, started_at: '-' } })
  if (plan.concurrency) ofInputs.value(plan.concurrency.key, ['concurrency', 'key'])
  const concurrencyProblem = ofInputs.problem ?? unusableConcurrency(plan, inputs)
  if (concurrencyProblem) return failed(concurrencyProblem)
  return {
    ...who,
    plan,
    inputs,
    maxStarts,
    ...(dedupeKey === undefined ? {} : { dedupeKey: remembered(dedupeKey) }),
    ...(cooldown && {
      cooldown: {
        forMs: cooldown.forMs,
        ...(cooldownKey === undefined ? {} : { key: remembered(cooldownKey) }),
      },
    }),
  }
}

/** The key of a run is made again as it starts; one that is refused then would stop all runs of the event. */
function unusableConcurrency(plan: Plan, inputs: JsonObject): MappingProblem | undefined {
  try {
    concurrencyOf(plan, inputs, { id: '-', started_at: '-' })
    return undefined
  } catch (error) {
    if (!RunbookError.is(error)) throw error
    return { path: ['concurrency', 'key'], message: error.message }
  }
}

/** As a start by hand is checked: what is known not to work is not even begun. */
function check(
  plan: Plan,
  given: JsonObject,
  actions: readonly ActionDescription[],
): { readonly inputs: JsonObject; readonly problems: readonly string[] } {
  const { inputs, problems } = checkInputs(plan, given)
  const found = problems.length > 0 ? problems : argumentProblems({ plan, inputs, actions })
  return { inputs, problems: found.map(({ path, message }) => `${path} ${message}`.trim()) }
}
