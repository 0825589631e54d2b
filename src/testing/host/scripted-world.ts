import type { ActionDescription, InputProblem, Safety } from '../../core/action.ts'
import type { AttemptResult } from '../../core/calls/index.ts'
import type { Identity, RunEvent } from '../../core/events.ts'
import type { CallRequest, KeptEvent } from '../../core/host/index.ts'
import type { JsonObject } from '../../core/json.ts'
import type { GivenAnswer, Question } from '../../core/people/index.ts'

/** What the world does with one attempt. */
export interface WorldAnswer {
  readonly result: AttemptResult
  /** From sending to the answer, in milliseconds. */
  readonly takesMs: number
  /** For the rate limit, before it is sent, in milliseconds. */
  readonly waitsMs: number
  /** Content of the file that the action writes. */
  readonly file?: string
  /** The output is a recorded one: its file was made then. @default a file is made where the step wants one */
  readonly isRecorded?: true
}

/** An action as tests know it: described, and with the check of its input. It is never called. */
export interface ScriptedAction extends ActionDescription {
  checkInput?(input: JsonObject): readonly InputProblem[]
}

/** An event of a script, with the hook that receives it. */
export interface HookEvent extends KeptEvent {
  readonly hook: string
}

/** One answer to a question. */
export interface ScriptedReply {
  readonly given: GivenAnswer
  /** After the question, or after the answer before it, in milliseconds. */
  readonly afterMs: number
}

/** What a scripted host has instead of the world. */
export interface ScriptedWorld {
  readonly actions: readonly ScriptedAction[]
  /** The result of an attempt. What it throws ends the run; a promise that never settles leaves the call open. */
  answer(request: CallRequest): WorldAnswer | Promise<WorldAnswer>
  /** The answers to the question of a step, in their order. A promise that never settles leaves the question open. */
  readonly people?: (
    path: string,
    question: Question,
  ) => readonly ScriptedReply[] | Promise<readonly ScriptedReply[]>
  /** The result of a wait for an event, in place of `events`. A promise that never settles leaves the wait open. */
  readonly listen?: (request: CallRequest) => Promise<Pick<WorldAnswer, 'result' | 'takesMs'>>
  /** The safety of a call, where its arguments decide. @default that of the action */
  readonly safetyOf?: (request: CallRequest) => Safety | undefined
  readonly startedBy?: Identity
  /** The events that come to hooks, the earliest first. */
  readonly events?: readonly HookEvent[]
  /** Receives each event of the run. */
  readonly onEvent?: (event: RunEvent) => void
  /** Told when a request goes out. */
  readonly onSent?: (request: CallRequest) => void
  /** Receives why the last answer that does not count is refused, where no answer settles the question of a step. */
  readonly onRefused?: (path: string, message: string) => void
}
