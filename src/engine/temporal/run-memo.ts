import type { ErrorData } from '../../core/run-error.ts'

/** What stands beside a run on the server, so that lists need no worker. Payloads: covered by the codec, if there is one. */
export interface RunMemo {
  readonly title?: string
  readonly key?: string
  readonly planHash: string
  /** Tells a second start with the same inputs from one with others. */
  readonly inputsHash: string
  readonly startedBy: string
  readonly startedAtMs: number
  readonly connection?: string
  /** Of the start that made the run: another one has joined it. */
  readonly startToken: string
  /** How it ended, where it did not end well. Written by the run itself. */
  readonly error?: ErrorData
}
