import type { JsonValue } from '../../core/json.ts'
import type { ControlKind, Identity } from '../../core/record/index.ts'

/**
 * What a person does through the console. Each act names what was on the screen. Where that has changed, it rejects with
 * a problem of status 409 that holds the new facts, and records nothing.
 */
export interface ConsoleActs {
  /** Answers questions of a run, all that `shown` names or none. Resolves with what the answer did to each. */
  answer(runId: string, given: AnswerHere, by: Identity): Promise<object>
  /** Sends a control request to the process that executes a run. */
  control(runId: string, given: ControlHere, by: Identity): Promise<object>
}

/** An answer, as a page or a program sends it. */
export interface AnswerHere {
  /** The path of the step. */
  readonly step: string
  /** The word of the questions that were on the screen. */
  readonly shown: string
  readonly approved: boolean
  readonly value?: JsonValue
  /** In place of `value`: the fields of a form, to be read by the schema of the question. */
  readonly fields?: FormFields
  readonly comment?: string
}

/** The fields of an answer as a browser sends them, by name. */
export interface FormFields {
  /** Texts, read as `--set` reads them. Empty: the default, or nothing. */
  readonly texts: Readonly<Record<string, string>>
  /** Positions among the choices that the question lists. */
  readonly choices: Readonly<Record<string, readonly number[]>>
}

/** A control request, as a page or a program sends it. */
export interface ControlHere {
  readonly kind: ControlKind
  /** How many control requests of the run were on the screen. */
  readonly shown: number
  readonly comment?: string
}
