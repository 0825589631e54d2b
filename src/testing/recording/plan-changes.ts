import type { ActionDescription } from '../../core/action.ts'
import { builtinActions } from '../../core/builtins/index.ts'
import { isSameJson, type JsonValue } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { firstDifference } from '../play/match.ts'
import { type RecordedPlan, recordedPlan } from './recording.ts'

/** What has changed since a recording was made: steps, actions and their schemas. Empty: nothing. */
export function planChanges(
  recorded: RecordedPlan,
  plan: Plan,
  actions: readonly ActionDescription[],
): readonly string[] {
  const now = recordedPlan(plan, [...builtinActions, ...actions])
  const schemas = Object.entries(now.actions).flatMap(([name, { input, output }]) => {
    const before = recorded.actions[name]
    if (!before) return []
    return [
      ...schemaChange(name, 'input', before.input, input),
      ...schemaChange(name, 'output', before.output, output),
    ]
  })
  if (recorded.plan_hash === plan.hash) return schemas
  const steps = [
    ...Object.entries(now.steps).flatMap(([path, action]) => {
      const before = recorded.steps[path]
      if (before === undefined) return [`${path} is new`]
      return before === action ? [] : [`${path} called ${before} and calls ${action}`]
    }),
    ...Object.keys(recorded.steps).flatMap((path) =>
      now.steps[path] === undefined ? [`${path} is gone`] : [],
    ),
  ]
  const changes = [...steps, ...schemas]
  return changes.length > 0 ? changes : ['arguments, conditions, order or settings of its steps']
}

function schemaChange(
  name: string,
  what: 'input' | 'output',
  before: unknown,
  now: unknown,
): readonly string[] {
  const [one, other] = [plain(before), plain(now)]
  if (isSameJson(one, other)) return []
  const difference = firstDifference(other, one) ?? firstDifference(one, other)
  return [`the ${what} of ${name} at ${difference?.path.join('.') || 'its top'}`]
}

function plain(schema: unknown): JsonValue {
  return JSON.parse(JSON.stringify(schema ?? null)) as JsonValue
}
