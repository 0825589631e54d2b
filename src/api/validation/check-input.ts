import { _, type Ajv, type KeywordCxt, type Options, type ValidateFunction } from 'ajv'
import type { ActionDescription, InputProblem } from '../../core/action.ts'
import { isJsonObject, type JsonObject, type JsonSchema } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { createAjv } from '../../schema/index.ts'
import { compiledSchemas } from './compiled-schemas.ts'
import { plainJson } from './plain-json.ts'
import { apiProblems } from './schema-problems.ts'

/** What the check of an input found. */
export interface CheckedInput {
  /** A copy: later changes of the original change nothing. */
  readonly input: JsonObject
  readonly problems: readonly InputProblem[]
  readonly warnings: readonly string[]
}

/** Rules of the document that newer services do not have. */
const openKeywords: readonly string[] = ['knownValues', 'knownMaxLength']

/** What an input is checked against. */
type Checked = Pick<ActionDescription, 'input' | 'check' | 'batch'>

/** Checks everything that can be known without sending. `maxItems` is the limit of a batch that is not split. */
export function checkInput(operation: Checked, value: unknown, maxItems?: number): CheckedInput {
  const plain = plainJson(value)
  const validate = validatorOf(operation.input)
  if (validate(plain.value) && plain.problems.length === 0 && isJsonObject(plain.value))
    return { input: plain.value, problems: furtherProblems(operation, plain.value, maxItems), warnings: [] }
  const errors = validate.errors ?? []
  const known = errors.filter(({ keyword }) => !openKeywords.includes(keyword))
  const problems = [
    ...plain.problems,
    // What JSON cannot hold was replaced by null in the copy: no second complaint about it.
    ...apiProblems(known, plain.value).filter(({ path }) => plain.problems.every((own) => own.path !== path)),
  ]
  const input = isJsonObject(plain.value) ? plain.value : {}
  if (problems.length === 0) problems.push(...furtherProblems(operation, input, maxItems))
  const unlisted = apiProblems(
    errors.filter(({ keyword }) => openKeywords.includes(keyword)),
    plain.value,
  )
  return { input, problems, warnings: unlisted.map(({ path, message }) => `${path} ${message}`) }
}

const shownProblems = 10
const keptProblems = 100

/** The error that lists the problems: some in the message, the paths of many as data. */
export function invalidInput(subject: string, problems: readonly InputProblem[]): RunbookError {
  const shown = problems
    .slice(0, shownProblems)
    .map(({ path, message }) => (path === '' ? `the input ${message}` : `${path} ${message}`))
  const more = problems.length > shownProblems ? `; and ${problems.length - shownProblems} more` : ''
  return new RunbookError('InvalidInput', `${subject}: ${shown.join('; ')}${more}`, {
    notSent: true,
    details: { problems: problems.slice(0, keptProblems).map(({ path, message }) => ({ path, message })) },
  })
}

/** Throws `InvalidInput` if there are problems. */
export function refuseProblems(subject: string, problems: readonly InputProblem[]): void {
  if (problems.length > 0) throw invalidInput(subject, problems)
}

const none: readonly InputProblem[] = []

function furtherProblems(
  operation: Checked,
  input: JsonObject,
  maxItems: number | undefined,
): readonly InputProblem[] {
  const problems = operation.check?.(input) ?? none
  const path = operation.batch?.argument
  const items = path === undefined ? undefined : input[path]
  if (path === undefined || maxItems === undefined || !Array.isArray(items) || items.length <= maxItems)
    return problems
  return [...problems, { path, message: `holds ${items.length} items; one call takes at most ${maxItems}` }]
}

let ajv: Ajv | undefined
const validators = new WeakMap<JsonSchema, ValidateFunction>()

/** The validator of a schema. It is compiled when it is first asked for, where the build has not done so. */
export function validatorOf(schema: JsonSchema): ValidateFunction {
  const known = validators.get(schema)
  if (known) return known
  const validator = compiledSchemas.get(JSON.stringify(schema)) ?? compile(schema)
  validators.set(schema, validator)
  return validator
}

function compile(schema: JsonSchema): ValidateFunction {
  ajv ??= createCallsAjv()
  return ajv.compile(schema)
}

/** Makes an Ajv for the inputs and outputs of calls. */
export function createCallsAjv(code: Options['code'] = {}): Ajv {
  const created = createAjv({
    // The schemas are our own: checking them against the schema of schemas only takes time.
    validateSchema: false,
    meta: false,
    // Shorter code would take longer to write than it saves.
    code: { optimize: false, ...code },
  })
  for (const keyword of openKeywords) created.removeKeyword(keyword)
  return created
    .addKeyword({
      keyword: 'knownValues',
      type: 'string',
      schemaType: 'array',
      code: (context: KeywordCxt) => context.fail(_`!${context.schemaCode}.includes(${context.data})`),
    })
    .addKeyword({
      keyword: 'knownMaxLength',
      type: 'string',
      schemaType: 'number',
      code: (context: KeywordCxt) =>
        context.fail(_`Array.from(${context.data}).length > ${context.schemaCode}`),
    })
}
