import { apiProblems, invalidInput, plainJson, refuseProblems } from '../../api/validation/index.ts'
import { type InputProblem, usualTimeoutMs } from '../../core/action.ts'
import { type JsonObject, withoutUndefined } from '../../core/json.ts'
import type { Action } from '../action.ts'
import { compileSchema } from './compile-schema.ts'
import type { ActionDefinition, AnyDefinition } from './definition.ts'
import { definitionProblems } from './definition-problems.ts'

/**
 * Makes an action that runbooks can name: checked before a run, planned, journaled, repeated as safely as its
 * `safety` allows. A definition that is not sound throws `InvalidInput` with everything that is wrong with it.
 */
export function defineAction<Input extends object = JsonObject, Output = unknown>(
  definition: ActionDefinition<Input, Output>,
): Action {
  const problems = definitionProblems(definition)
  if (problems.length > 0) throw invalidInput(`defineAction ${nameOf(definition)}`, problems)
  // The schema vouches for the type from here on.
  const own = definition as unknown as AnyDefinition
  const { name, summary, safety, input, output, savesFile, errors, batch, minimumTimeoutMs } = own
  const { timeoutMs = usualTimeoutMs, safetyBy, sensitiveInput, sensitiveOutput, check, findOut } = own
  return {
    name,
    summary,
    safety,
    ...(safetyBy === undefined ? {} : { safetyBy }),
    input,
    output,
    usesNoConnection: true,
    defaultTimeoutMs: timeoutMs,
    ...(check === undefined ? {} : { check: (value: JsonObject) => ownRules(own, value) }),
    ...withoutUndefined({
      savesFile,
      errors,
      batch,
      minimumTimeoutMs,
      findOut,
      sensitiveInput,
      sensitiveOutput,
    }),
    checkInput: (value) => inputProblems(own, value),
    async run(value, context) {
      refuseProblems(name, inputProblems(own, value))
      const { runOwnAction } = await import('./run-custom-action.ts')
      return await runOwnAction(own, value, context)
    },
  }
}

function inputProblems(definition: AnyDefinition, input: JsonObject): readonly InputProblem[] {
  const plain = plainJson(input)
  if (plain.problems.length > 0) return plain.problems
  const validate = compileSchema(definition.input)
  return validate(input) ? ownRules(definition, input) : apiProblems(validate.errors ?? [], input)
}

/** A check that fails is a finding about the check, and ends nothing else. */
function ownRules(definition: AnyDefinition, input: JsonObject): readonly InputProblem[] {
  try {
    const found: unknown = definition.check?.(input) ?? []
    if (!Array.isArray(found)) throw new Error('it must answer with a list of problems')
    return found.map(({ path, message }) => ({ path: String(path), message: String(message) }))
  } catch (error) {
    return [
      { path: '', message: `cannot be checked: check() of ${definition.name} failed: ${String(error)}` },
    ]
  }
}

function nameOf(definition: unknown): string {
  const name = (definition as { name?: unknown } | undefined)?.name
  return typeof name === 'string' ? JSON.stringify(name) : 'without a name'
}
