/** What a run would do, as `opsbook plan` shows it. */
import type { ActionDescription } from '../../../core/action.ts'
import { builtinActions } from '../../../core/builtins/index.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { createMask } from '../../../core/mask/index.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { type Counted, outsideSteps, previewPlan } from '../../../core/preview/index.ts'
import { sensitiveInputs } from '../../../core/record/index.ts'
import type { PlanDocument } from '../../../documents/index.ts'
import { checkInputs } from '../../../load/index.ts'
import { usesOf } from '../../../project/actions/index.ts'
import {
  type Configuration,
  httpConnections,
  notifyTargets,
  peopleOf,
  serviceConnections,
} from '../../../project/configuration/index.ts'
import { connectionWindowsOf, readHttpRules } from '../../../project/connections/index.ts'
import { type Surroundings, sandboxName } from '../../../project/index.ts'
import { type PlanInputs, readPlanInputs } from './read-plan-inputs.ts'
import { toDocument } from './to-document.ts'

/** What a plan is previewed with. */
export interface PlannedWork {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly ActionDescription[]
  /** Modules that may define more actions. */
  readonly notLoaded: readonly string[]
  readonly configuration: Configuration
  /** A sandbox stands in for every connection to the service. */
  readonly isSandbox: boolean
  readonly io: Surroundings
}

/** Previews a plan as the document of `plan --output json`, with its sensitive inputs masked. Throws for wrong inputs. */
export function readPlanDocument(work: PlannedWork): {
  readonly document: PlanDocument
  readonly given: PlanInputs
} {
  const { plan, inputs, actions, notLoaded, configuration, isSandbox, io } = work
  const given = readPlanInputs(plan, inputs)
  const now = Date.now()
  const loaded = new Set([...builtinActions, ...actions].map(({ name }) => name))
  const called = new Set(usesOf(plan).map(({ action }) => action.name))
  const notChecked = [...called].filter((name) => !loaded.has(name))
  const known = { plan, inputs: given.values, missingInputs: given.missing, actions, checkInputs }
  const preview = previewPlan({
    ...known,
    notLoaded: notChecked,
    countedFor: readAccounts(configuration, isSandbox),
    millisecondsUntil: (moment) => Date.parse(moment) - now,
  })
  const shown = toDocument(plan, given, preview, {
    nowMs: now,
    http: readHttpRules(configuration),
    commands: configuration.document.commands ?? {},
    people: peopleOf(configuration.document),
    notChecked: notChecked.map((action) => ({ action, modules: notLoaded })),
    ...(isSandbox
      ? {
          outside: {
            steps: outsideSteps(known),
            notifications: notifyTargets(configuration, io).length,
          },
        }
      : {}),
  })
  const mask = createMask(sensitiveInputs(plan.inputs, given.values))
  const document = mask.value(shown as unknown as JsonValue) as unknown as PlanDocument
  return { document, given }
}

/**
 * Maps connections to accounts, which share rate limits. Without a configuration each name is a separate account. With a
 * sandbox there is one account.
 */
function readAccounts(
  { document }: Configuration,
  isSandbox: boolean,
): (connection: string | undefined) => Counted {
  if (isSandbox) return () => ({ account: sandboxName, key: sandboxName })
  const connections = serviceConnections(document.connections)
  const others = httpConnections(document.connections)
  const names = Object.keys(connections)
  const otherwise = names.length === 1 ? (names[0] ?? 'default') : 'default'
  return (connection = otherwise) => {
    const found = Object.hasOwn(connections, connection) ? connections[connection] : undefined
    const limits = Object.hasOwn(others, connection) ? others[connection]?.limits : undefined
    const key = found?.['app-key'] ?? connection
    return {
      account: found?.account ?? key,
      key,
      ...(limits === undefined ? {} : { limit: { per: 'connection', ...connectionWindowsOf(limits) } }),
    }
  }
}
