/** A test file as its author writes it. Durations are texts, as in runbooks. */
import type { RunStatus, StepStatus } from '../../core/events.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'

export interface TestFile {
  /** Path of the runbook, from the folder of the test file. */
  readonly runbook: string
  /** What every test has by default. */
  readonly defaults?: Setting
  readonly tests: readonly TestCase[]
  /** `each`: every fault is tried on every test that succeeds. */
  readonly faults?: 'each'
}

/** What a run meets. */
export interface Setting {
  readonly inputs?: JsonObject
  /** By the path of the call, else by its action. A list is by attempt, and its last entry repeats. */
  readonly calls?: Readonly<Record<string, CallScript | readonly CallScript[]>>
  /** By the path of the step that asks. A list is one answer after another. */
  readonly answers?: Readonly<Record<string, AnswerScript | readonly AnswerScript[]>>
  readonly events?: readonly EventScript[]
  /** When the run starts. */
  readonly start?: string
}

export interface TestCase extends Setting {
  readonly name: string
  /** When the run is cancelled: after a duration, or while an attempt such as `publish#1` is made. */
  readonly cancel?: string
  readonly expect: Expectations
}

/** The result of one attempt. */
export interface CallScript {
  readonly output?: JsonValue
  /** Of an action that writes a file: its content. */
  readonly file?: string
  readonly error?: string | ErrorScript
  /** Name of a recording that has the result. */
  readonly recording?: string
  /** From sending to the answer. */
  readonly takes?: string
}

export interface ErrorScript {
  readonly code: string
  readonly message?: string
  /** Of HTTP, or of a command. */
  readonly status?: number
  readonly 'retry-after'?: string
}

export interface AnswerScript {
  /** @default true */
  readonly approved?: boolean
  /** The answer to `core/ask`. */
  readonly value?: JsonValue
  readonly by?: string
  /** After the question, or after the answer before. @default 1s */
  readonly after?: string
  readonly comment?: string
  readonly groups?: readonly string[]
  readonly verified?: boolean
}

export interface EventScript {
  readonly hook?: string
  readonly callback?: string
  readonly after: string
  readonly id?: string
  readonly body?: JsonValue
}

/** Only what is stated is compared. Maps are compared by the keys that are stated, lists as a whole. */
export interface Expectations {
  /** `refused`: the inputs or arguments are wrong, so the run does not start. */
  readonly status?: Exclude<RunStatus, 'interrupted'> | 'refused'
  readonly outputs?: JsonObject
  readonly error?: { readonly code?: string; readonly path?: string; readonly message?: string }
  /** All calls in their order; a retried call counts once. */
  readonly calls?: readonly string[]
  readonly sent?: Readonly<Record<string, JsonObject>>
  readonly never?: readonly string[]
  readonly attempts?: Readonly<Record<string, number>>
  readonly steps?: Readonly<Record<string, StepStatus | 'never'>>
  readonly took?: string | { readonly least?: string; readonly most?: string }
  readonly warnings?: Readonly<Record<string, string>>
  readonly asked?: Readonly<Record<string, string>>
  readonly log?: readonly string[]
  readonly files?: Readonly<Record<string, string | readonly string[]>>
}
