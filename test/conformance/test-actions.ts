/** The actions of the cases: one of each kind, so that a case says no more than what it is about. */
import { createHttpAction } from '../../src/actions/http/http.ts'
import type { ActionDescription, InputProblem } from '../../src/core/action.ts'
import type { JsonObject, JsonSchema } from '../../src/core/json.ts'
import { compileOwn } from '../../src/load/ajv.ts'

/** An action as an engine knows it before its calls. */
export interface TestAction extends ActionDescription {
  checkInput(input: JsonObject): readonly InputProblem[]
}

const map = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const savedFile = map({ path: { type: 'string' }, bytes: { type: 'integer' }, sha256: { type: 'string' } }, [
  'path',
  'bytes',
  'sha256',
])

const descriptions: readonly ActionDescription[] = [
  {
    name: 'test/read',
    summary: 'Changes nothing; answers with what it is given',
    safety: 'read',
    input: map({ of: {} }, []),
    output: map({ value: {} }, ['value']),
    defaultTimeoutMs: 60_000,
  },
  {
    name: 'test/write',
    summary: 'Doing it twice is doing it once',
    safety: 'idempotent',
    input: map({ of: {} }, []),
    output: map({ value: {} }, ['value']),
    defaultTimeoutMs: 60_000,
  },
  {
    name: 'test/create',
    summary: 'Makes something of a name',
    safety: 'create',
    input: map({ name: { type: 'string', minLength: 1, maxLength: 20 }, token: { type: 'string' } }, [
      'name',
    ]),
    output: map({ id: { type: 'string' } }, ['id']),
    defaultTimeoutMs: 60_000,
    sensitiveInput: ['token'],
    check: ({ name }) => (name === 'root' ? [{ path: 'name', message: 'is already taken' }] : []),
  },
  {
    name: 'test/batch',
    summary: 'Takes three items a call, which can fail one by one',
    safety: 'read',
    input: map({ items: { type: 'array' } }, ['items']),
    output: map({ results: { type: 'array' } }, ['results']),
    defaultTimeoutMs: 60_000,
    batch: {
      argument: 'items',
      size: 3,
      results: 'results',
      isPositional: true,
      itemKey: 'item',
      itemError: 'error',
    },
  },
  {
    name: 'test/find',
    summary: 'Takes three ids a call, and finds some of them',
    safety: 'read',
    input: map({ ids: { type: 'array', items: { type: 'string' } } }, ['ids']),
    output: map({ found: { type: 'array' } }, ['found']),
    defaultTimeoutMs: 60_000,
    batch: { argument: 'ids', size: 3, results: 'found', isPositional: false, itemKey: 'id' },
  },
  {
    name: 'test/export',
    summary: 'Writes a file, and needs 35 seconds at least',
    safety: 'read',
    input: map({}, []),
    output: savedFile,
    savesFile: 'always',
    minimumTimeoutMs: 35_000,
    defaultTimeoutMs: 60_000,
  },
  {
    name: 'core/write',
    summary: 'Writes a text, or any value as JSON, to a file of the run',
    safety: 'idempotent',
    isLocal: true,
    input: map({ content: {} }, ['content']),
    output: savedFile,
    savesFile: 'always',
    defaultTimeoutMs: 30_000,
  },
]

/** The real action, whose answers a case gives. */
const { run: _, ...http } = createHttpAction()

export const testActions: readonly TestAction[] = [
  ...descriptions.map((description) => ({
    ...description,
    checkInput: (input: JsonObject) => checkInput(description, input),
  })),
  http,
]

function checkInput({ input: schema, check }: ActionDescription, input: JsonObject): readonly InputProblem[] {
  const validate = compileOwn(schema)
  if (validate(input)) return check?.(input) ?? []
  return (validate.errors ?? []).map(({ instancePath, message }) => ({
    path: instancePath.slice(1).replaceAll('/', '.'),
    message: message ?? '',
  }))
}
