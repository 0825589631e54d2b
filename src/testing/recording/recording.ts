import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { callingSteps, type Plan } from '../../core/plan/index.ts'
import type { ErrorData } from '../../core/run-error.ts'
import { compileOwn } from '../../load/yaml/index.ts'
import { stepPaths } from '../file/call-paths.ts'

/** The calls of a recorded run, for scripts of tests. No value that the run hides is in it. */
export interface Recording extends RecordedPlan {
  readonly version: 1
  /** Name of the runbook. */
  readonly runbook: string
  /** RFC 3339: when the run started. */
  readonly started_at: string
  readonly inputs: JsonObject
  /** In the order in which they began. */
  readonly calls: readonly RecordedCall[]
}

/** What is known of the plan of a recorded run. */
export interface RecordedPlan {
  readonly plan_hash: string
  /** The action of each step that calls one, by the path of the step. */
  readonly steps: Readonly<Record<string, string>>
  /** The schemas of these actions. */
  readonly actions: Readonly<Record<string, RecordedSchemas>>
}

interface RecordedSchemas {
  readonly input: JsonSchema
  readonly output: JsonSchema
}

/** One attempt: its arguments, and its result. */
export interface RecordedCall {
  readonly path: string
  readonly attempt: number
  readonly action: string
  /** Left out: they are not known. */
  readonly input?: JsonObject
  readonly output?: JsonValue
  readonly error?: ErrorData
  /** From sending to the answer, in milliseconds. */
  readonly takes_ms: number
}

/** How the names of recordings are written. */
export const recordingName: RegExp = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/

/** The file of a recording, from the folder of the test files that use it. */
export function recordingFile(name: string): string {
  return `recordings/${name}.json`
}

/** What a recording keeps of a plan, so that a later one can be compared with it. */
export function recordedPlan(
  plan: Plan,
  actions: readonly ({ readonly name: string } & RecordedSchemas)[],
): RecordedPlan {
  const called = new Set(callingSteps(plan).map(({ uses }) => uses.action.name))
  return {
    plan_hash: plan.hash,
    steps: Object.fromEntries(
      [...stepPaths(plan)].flatMap(([path, step]) =>
        step.kind === 'uses' ? [[path, step.uses.action.name] as const] : [],
      ),
    ),
    actions: Object.fromEntries(
      actions
        .filter(({ name }) => called.has(name))
        .map(
          ({ name, input, output }) =>
            [name, { input: withoutNotes(input), output: withoutNotes(output) }] as const,
        ),
    ),
  }
}

/** What a schema says to people alone. */
const notes: ReadonlySet<string> = new Set(['title', 'description', 'examples', 'enumDescriptions'])
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', '$defs'])

/** The same schema without notes: a better description is no other schema. In a map every key is a name. */
function withoutNotes(schema: JsonSchema, isMap = false): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => isMap || !notes.has(key))
      .map(([key, value]) => [
        key,
        isJsonObject(value) ? withoutNotes(value, !isMap && maps.has(key)) : value,
      ]),
  )
}

const object: JsonSchema = { type: 'object' }

const validate: ReturnType<typeof compileOwn> = compileOwn({
  type: 'object',
  required: ['version', 'plan_hash', 'steps', 'actions', 'inputs', 'calls'],
  properties: {
    version: { const: 1 },
    plan_hash: { type: 'string' },
    steps: { type: 'object', additionalProperties: { type: 'string' } },
    actions: { type: 'object', additionalProperties: object },
    inputs: object,
    calls: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'attempt', 'action', 'takes_ms'],
        properties: {
          path: { type: 'string' },
          attempt: { type: 'integer', minimum: 1 },
          action: { type: 'string' },
          input: object,
          error: { type: 'object', required: ['code', 'message'] },
          takes_ms: { type: 'number', minimum: 0 },
        },
      },
    },
  },
})

/** Reads the text of a recording. Undefined: it is none. */
export function parseRecording(text: string): Recording | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && validate(value) ? (value as unknown as Recording) : undefined
  } catch {
    return undefined
  }
}
