import type { Plan } from '../plan.ts'
import { type Known, type KnownScope, known, knownMap, unknown } from './known.ts'
import type { RunbookForecast } from './step-forecast.ts'
import type { WalkContext, Walked } from './walk-context.ts'
import { walkCatch, walkSteps, withUnknownSteps } from './walk-steps.ts'

/** Walks a whole runbook: its steps, what is done when one fails, what is done at the end. */
export function walkRunbook(plan: Plan, inputs: Known, context: WalkContext): Walked<RunbookForecast> {
  const scope = runbookScope(plan, inputs)
  const main = walkSteps(plan.steps, scope, context)
  const ids = Object.keys(main.steps)
  const cleanUp = walkSteps(plan.finally ?? [], withUnknownSteps(scope, ids), context)
  return {
    forecast: {
      steps: main.forecast,
      catch: walkCatch(plan.catch, scope, ids, context),
      finally: cleanUp.forecast,
    },
    task: { kind: 'sequence', tasks: [main.task, cleanUp.task] },
    usage: [...main.usage, ...cleanUp.usage],
  }
}

/** What the first step of a runbook sees. */
export function runbookScope({ name }: Plan, inputs: Known): KnownScope {
  return {
    inputs,
    run: knownMap({ name: known(name), id: unknown, started_at: unknown, outcome: unknown }),
    steps: knownMap({}),
  }
}
