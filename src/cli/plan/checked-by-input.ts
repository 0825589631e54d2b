import type { ActionDescription } from '../../core/action.ts'
import type { ForecastAction } from '../../core/forecast/forecast-plan.ts'
import { compileOwn } from '../../load/ajv.ts'
import { formatPath } from '../../load/json-path.ts'
import { schemaProblems } from '../../load/schema-problems.ts'

/** An action of the core with the check that actions of the service bring along: its schema, then its own rules. */
export function checkedByInput(action: ActionDescription): ForecastAction {
  return {
    ...action,
    checkInput(input) {
      const problems = schemaProblems(compileOwn(action.input), input)
      if (problems.length === 0) return action.check?.(input) ?? []
      return problems.map(({ path, message }) => ({ path: formatPath(path), message }))
    },
  }
}
