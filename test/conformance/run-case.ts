/** A runbook, the world it meets, and what any engine must show of the run. Durations are written as in runbooks. */
import type { RunStatus, StepStatus } from '../../src/core/events.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import type { MarkedCase } from '../support/smoke.ts'

export interface RunCase extends MarkedCase {
  readonly name: string
  /** The text after the first two lines, which say version and name. */
  readonly runbook: string
  /** Runbooks that it can run, by path; also without the first two lines. */
  readonly files?: Readonly<Record<string, string>>
  readonly inputs?: JsonObject
  /**
   * What is answered, by the path of the call or, where that has none, by the action: a list by attempt, of which the
   * last entry goes for all that follow. Without any the action says something sensible.
   */
  readonly answers?: Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>>
  /** Who answers which question, one after the other. Without an entry nobody answers. */
  readonly people?: Readonly<Record<string, ScriptedPerson | readonly ScriptedPerson[]>>
  /** The events that come, in their order. */
  readonly events?: readonly ScriptedEvent[]
  /** When the run is cancelled: so long after its start, or while this attempt (`a#1`) is made. */
  readonly cancel?: string
  /** When it is cancelled for the second time. */
  readonly 'cancel-again'?: string
  /** Findings of the loader, by code. Left out: none. */
  readonly findings?: readonly string[]
  /** Places of arguments that are wrong before the first call, such as `a.with.name`. Left out: none. */
  readonly problems?: readonly string[]
  /** Why a run that is stopped may end differently. */
  readonly 'not-resumed'?: string
  /** After how many outcomes it is stopped. Left out: after each. */
  readonly stops?: readonly number[]
  /** What is allowed to differ on Temporal, and why. */
  readonly temporal?: {
    /** Why a run that continues in other executions of its workflow may end differently. */
    readonly 'not-continued'?: string
    /** Why a run in real time, whose approvers answer immediately, ends differently. */
    readonly 'not-in-real-time'?: string
  }
  /** Left out where the runbook or its arguments are refused. */
  readonly expect?: ExpectedRun
}

/** What one attempt comes to. */
export interface ScriptedAnswer {
  readonly output?: JsonValue
  /** A code, or more than that. */
  readonly error?: string | ScriptedError
  /** Items of a batch that fail, each with its code. */
  readonly failing?: Readonly<Record<string, string>>
  /** Ids of a batch that are not found. */
  readonly missing?: readonly string[]
  /** The value answered is a text of this many characters. */
  readonly size?: number
  /** The character that such a text is made of. */
  readonly of?: string
  /** From sending to the answer. */
  readonly takes?: string
  /** For the budget, before it is sent. */
  readonly waits?: string
}

export interface ScriptedError {
  readonly code: string
  readonly message?: string
  /** Of HTTP, or of a command. */
  readonly status?: number
  readonly 'request-id'?: string
  readonly 'retry-after'?: string
}

export interface ScriptedPerson {
  /** @default true */
  readonly approves?: boolean
  /** The answer to `core/ask`. */
  readonly value?: JsonValue
  /** After the question, or after the answer before. */
  readonly after: string
  /** `the starter` is who started the run. */
  readonly by?: string
  /** Left out: the name is not verified. */
  readonly is?: 'verified'
  readonly groups?: readonly string[]
  readonly comment?: string
}

/** An event that comes to a hook so long after the start of the run. */
export interface ScriptedEvent {
  readonly hook?: string
  /** Instead of `hook`: the callback of the run that it comes to. */
  readonly callback?: string
  readonly after: string
  readonly id: string
  /** Left out: it was too large to be kept. */
  readonly body?: JsonValue
}

/** Only what is stated is compared. */
export interface ExpectedRun {
  readonly status: RunStatus
  readonly outputs?: JsonObject
  readonly error?: {
    readonly code: string
    readonly path?: string
    readonly message?: string
    readonly cause?: { readonly code: string; readonly path?: string }
  }
  /** `path code` of each, in any order. */
  readonly warnings?: readonly string[]
  /** How many warnings are named, and how many are only counted. */
  readonly 'warnings-named'?: number
  readonly 'warnings-left-out'?: number
  /** All attempts (`a#1`) in their order. Those in brackets are made in any order. */
  readonly calls?: string
  /** How steps and items end, by path. */
  readonly ends?: Readonly<Record<string, StepStatus | 'never'>>
  /** What steps leave behind in the record, by path. */
  readonly left?: Readonly<Record<string, JsonValue>>
  /** `path reason until`, the last from the start of the run; in the order of each path. */
  readonly waits?: readonly string[]
  /** `path calls open` of each question: the calls that a yes covers, and the steps that it does not. */
  readonly asked?: readonly string[]
  /** From the start to the end. */
  readonly takes?: string
  /** `path level message`, in the order of each path. */
  readonly log?: readonly string[]
  /** Contents by name. */
  readonly artifacts?: Readonly<Record<string, string>>
  /** Parts of what is asked for in an attempt, such as `a#1`. */
  readonly requests?: Readonly<Record<string, JsonObject>>
}

/** The whole text of a runbook of a case. */
export function wholeRunbook(text: string, name = 'test'): string {
  return `apiVersion: opsbook/v1\nname: ${name}\n${text}`
}
