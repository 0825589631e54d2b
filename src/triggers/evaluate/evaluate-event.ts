import type { ActionDescription } from '../../core/action.ts'
import { typeOfSchema } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { Plan, TriggerPlan } from '../../core/plan/index.ts'
import { argumentProblems } from '../../core/preview/index.ts'
import { concurrencyOf, sensitiveInputs } from '../../core/record/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { Candidate, EventEvaluation, IncomingEvent } from '../../core/triggers/index.ts'
import { checkInputs } from '../../load/index.ts'
import {
  createTriggerReader,
  locateProblem,
  type MappingProblem,
  type TriggeredRunbook,
  valuesSeen,
} from './read-trigger.ts'
import { createEventMask, keyWithoutSecrets, type MaskValue } from './without-secrets.ts'

/** What an event is evaluated against. */
export interface EvaluateOptions {
  readonly runbooks: readonly TriggeredRunbook[]
  readonly actions: readonly ActionDescription[]
  /** Masks what is recorded, besides fields with the name of a secret. @default nothing */
  readonly mask?: MaskValue
}

/** Evaluates an event: a candidate for each trigger of its type and hook. Earlier events have no effect. */
export function evaluateEvent(event: IncomingEvent, options: EvaluateOptions): EventEvaluation {
  const { runbooks, actions, mask: known = (value) => value } = options
  const sensitive = new Set<string>()
  const judged = runbooks.flatMap((runbook) =>
    (runbook.plan.triggers ?? []).flatMap((trigger, place) =>
      isFor(trigger, event) ? [judge({ runbook, trigger, place, actions, sensitive }, event)] : [],
    ),
  )
  // After the triggers, which read the event unmasked and say what of it is a sensitive input.
  const mask = createEventMask(event.body, sensitive, known)
  const candidates = judged.map((candidate) => masked(candidate, mask))
  return { event: { ...event, id: keyWithoutSecrets(event.id, mask), body: mask(event.body) }, candidates }
}

/** The inputs of a run are not masked; keys are, since messages and ids contain them. */
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
  /** Gets the values of sensitive inputs. */
  readonly sensitive: Set<string>
}

/** A mapping that fails affects only its own trigger. */
function judge({ runbook, trigger, place, actions, sensitive }: Judged, event: IncomingEvent): Candidate {
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
  const { inputs, problems } = check(plan, isJsonObject(given) ? withoutNulls(plan, given) : {}, actions)
  for (const value of sensitiveInputs(plan.inputs, inputs)) sensitive.add(value)
  if (problems.length > 0)
    return { ...who, because: 'inputs_invalid', message: problems.join('; '), details: { inputs: given } }
  const ofInputs = createTriggerReader({ inputs, run: { id: '-', name: plan.name, started_at: '-' } })
  if (plan.concurrency) ofInputs.value(plan.concurrency.key, ['concurrency', 'key'])
  const concurrencyProblem = ofInputs.problem ?? unusableConcurrency(plan, inputs)
  if (concurrencyProblem) return failed(concurrencyProblem)
  return {
    ...who,
    plan,
    inputs,
    maxStarts,
    ...(dedupeKey === undefined ? {} : { dedupeKey }),
    ...(cooldown && {
      cooldown: {
        forMs: cooldown.forMs,
        ...(cooldownKey === undefined ? {} : { key: cooldownKey }),
      },
    }),
  }
}

/** The key is made again at the start; one that is refused then would stop all runs of the event. */
function unusableConcurrency(plan: Plan, inputs: JsonObject): MappingProblem | undefined {
  try {
    concurrencyOf(plan, inputs, { id: '-', started_at: '-' })
    return undefined
  } catch (error) {
    if (!RunbookError.is(error)) throw error
    return { path: ['concurrency', 'key'], message: error.message }
  }
}

/** The given inputs; null of an event counts as not given, where the input is optional and takes no null. */
function withoutNulls({ inputs = {} }: Plan, given: JsonObject): JsonObject {
  const { properties, required = [] } = inputs
  const isLeftOut = (name: string): boolean => {
    const schema = isJsonObject(properties) ? properties[name] : undefined
    const takesNull = typeOfSchema(isJsonObject(schema) ? schema : {}).kinds?.includes('null') ?? true
    return !takesNull && !(required as readonly string[]).includes(name)
  }
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== null || !isLeftOut(name)),
  )
}

/** The same checks as for a start by hand. */
function check(
  plan: Plan,
  given: JsonObject,
  actions: readonly ActionDescription[],
): { readonly inputs: JsonObject; readonly problems: readonly string[] } {
  const { inputs, problems } = checkInputs(plan, given)
  const found = problems.length > 0 ? problems : argumentProblems({ plan, inputs, actions, checkInputs })
  return { inputs, problems: found.map(({ path, message }) => `${path} ${message}`.trim()) }
}
