import type { InputProblem } from '../../core/action.ts'
import type {
  ExportSessionInput,
  OperationInput,
  OperationMethod,
  OperationOutput,
  SessionExport,
} from '../operations/index.ts'
import type { SessionLine } from '../session-record/index.ts'
import type {
  AttemptOptions,
  CallOptions,
  CallOutput,
  ExportOptions,
  ServiceAnswer,
  StreamOptions,
  UncheckedInput,
} from './answer.ts'

/** The operations that answer with data, by the names of their methods. */
export type EnvelopeMethod = Exclude<OperationMethod, 'exportSession'>

/** One method for each operation: checked before sending, paced, repeated by its safety. */
export type OperationCalls = {
  readonly [M in EnvelopeMethod]: (
    input: OperationInput<M>,
    options?: CallOptions,
  ) => Promise<ServiceAnswer<CallOutput<M>>>
}

/** The service, typed. Every call rejects with a `RunbookError`. */
export interface Client extends OperationCalls {
  /** Exports the record of a session to a file, which is there when the record is whole. */
  exportSession(input: ExportSessionInput, options: ExportOptions): Promise<ServiceAnswer<SessionExport>>
  /**
   * The lines of a session's record as they come. Stopping early ends the request. A record that is not whole ends
   * with `TruncatedExport` after its lines; the time for the attempt includes what the reader takes.
   */
  streamSession(input: ExportSessionInput, options?: StreamOptions): AsyncIterable<SessionLine>
  /**
   * Makes exactly one attempt: checked, paced and with the target locked, but neither split nor retried. For callers
   * that retry on their own.
   */
  attempt<M extends OperationMethod>(
    method: M,
    input: UncheckedInput<M>,
    options?: AttemptOptions,
  ): Promise<ServiceAnswer<OperationOutput<M>>>
  /** What is wrong with an input, without sending anything. */
  check<M extends OperationMethod>(method: M, input: UncheckedInput<M>): readonly InputProblem[]
  /**
   * Refuses new calls, waits for calls in flight, and closes the connections. An open `streamSession` ends with
   * `Cancelled`.
   */
  close(): Promise<void>
}
