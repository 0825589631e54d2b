import type { ValidateFunction } from 'ajv'
import type { InputProblem } from '../../core/action.ts'
import { formatPath, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { createMask } from '../../core/mask/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import { sensitiveInputs, sensitivePaths } from '../../core/record/index.ts'
import { wordsOfYaml } from '../../core/text/index.ts'
import { type SubjectWords, wordsOfYamlFile } from '../../schema/index.ts'
import { createInputsAjv } from '../ajv.ts'
import { schemaFindings } from '../schema-problems.ts'
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
  const validate = validatorOf(plan.inputs)
  // With the defaults.
  const found = schemaFindings(validate, inputs, [], ofInputs)
  if (found.length === 0) return { inputs, problems: [] }
  const { inErrors } = createMask(sensitiveInputs(plan.inputs, inputs))
  const hidden = sensitivePaths(plan.inputs, inputs)
  const declared = keysIn((plan.inputs ?? {}) as JsonValue)
  const problems = found.map(({ path, message, hint }) => {
    const outer = hidden.find((place) => place.every((part, index) => part === path[index]))
    // A name that the schema does not have is a part of what is sensitive.
    const isHidden = path.slice(outer?.length).some((part) => typeof part === 'string' && !declared.has(part))
    if (outer && isHidden) {
      const place = formatPath(outer)
      return { path: place, message: `"${place}" holds a key that does not fit its schema` }
    }
    return {
      path: formatPath(path),
      // A hint to write an expression is for runbooks: none is evaluated here.
      message: inErrors.text(message + (hint === undefined || hint.includes('${{') ? '' : ` (${hint})`)),
    }
  })
  return { inputs, problems }
}

const validators = new WeakMap<JsonSchema, ValidateFunction>()

/** A plan is checked for each of its runs: its schema is compiled once. Plans are never changed. */
function validatorOf(schema: JsonSchema | undefined): ValidateFunction {
  const known = schema && validators.get(schema)
  if (known) return known
  const validate = createInputsAjv({ useDefaults: true }).compile(closedSchema(schema))
  if (schema) validators.set(schema, validate)
  return validate
}

const words: SubjectWords = wordsOfYamlFile(
  {
    whole: 'the runbook',
    missing: (key) => `missing input "${key}"`,
    unknown: (key) => `there is no input "${key}"`,
  },
  // It is written nowhere: an expression or a program gave it.
  { ...wordsOfYaml, kindOf: (value) => (value === null ? 'null' : wordsOfYaml.kindOf(value)) },
)

const ofInputs: SubjectWords = {
  ...words,
  typeHint(error) {
    const usual = words.typeHint?.(error) ?? {}
    // 1.10 is 1.1 by now.
    return usual.wantsText && typeof error.data === 'number' ? { hint: 'quote it as it is meant' } : usual
  },
}

function keysIn(value: JsonValue): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return new Set()
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return new Set([...own, ...Object.values(value).flatMap((part) => [...keysIn(part)])])
}
