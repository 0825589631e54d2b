import type { InputProblem } from '../../core/action.ts'
import type { JsonObject } from '../../core/json.ts'
import { createMask } from '../../core/mask/mask.ts'
import type { Plan } from '../../core/plan.ts'
import { sensitiveInputs } from '../../core/record/sensitive-inputs.ts'
import { createInputsAjv } from '../ajv.ts'
import { formatPath } from '../json-path.ts'
import { schemaProblems } from '../schema-problems.ts'
import { closedSchema } from './declared-inputs.ts'

/** The inputs a run would start with, its defaults filled in, and what is wrong with them. */
export interface CheckedInputs {
  readonly inputs: JsonObject
  readonly problems: readonly InputProblem[]
}

/**
 * Checks inputs against what the runbook declares, before anything starts. Other inputs are refused, unless the schema
 * says `additionalProperties`. A problem quotes no input that the schema marks as sensitive.
 */
export function checkInputs(plan: Pick<Plan, 'name' | 'inputs'>, given: JsonObject): CheckedInputs {
  const inputs = structuredClone(given)
  const validate = createInputsAjv({ useDefaults: true }).compile(closedSchema(plan.inputs))
  // With the defaults.
  const found = schemaProblems(validate, inputs)
  const { inErrors } = createMask(sensitiveInputs(plan.inputs, inputs))
  const problems = found.map(({ path, message, hint }) => ({
    path: formatPath(path),
    // A hint to write an expression is for runbooks: none is evaluated here.
    message: inErrors.text(
      inWordsOfInputs(message) + (hint === undefined || hint.includes('${{') ? '' : ` (${hint})`),
    ),
  }))
  return { inputs, problems }
}

function inWordsOfInputs(message: string): string {
  return message
    .replace(/^the runbook needs the key /, 'missing input ')
    .replace(/^there is no key (".*") in a runbook$/, 'there is no input $1')
}
