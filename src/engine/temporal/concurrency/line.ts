/** The messages between runs that wait for a `concurrency` key, the line workflow of the key, and clients. */

/** Name of the workflow type of lines: its id is the key, and it is open as long as a run has the key or waits for it. */
export const lineType = 'opsbookLine'

/** The line that a run waits in before its first step. */
export interface AwaitedLine {
  /** Id of the line workflow. */
  readonly lineId: string
  readonly key: string
  /** The number of runs that may have the key. */
  readonly limit: number
  /** An earlier execution of the run has the key. */
  readonly isMine?: true
}

/** A run that waits for the key. */
export interface RunInLine {
  readonly runId: string
  readonly limit: number
}

/** The runs that have a key, and those that wait for it, in their order. */
export interface LineState {
  readonly holders: readonly string[]
  readonly waiting: readonly RunInLine[]
}

/** Signal of a run to the line: it waits for the key. Repeated while it waits. Holds a {@link RunInLine}. */
export const joinLineSignal = 'opsbookJoinLine'

/** Signal of a run to the line: it needs the key no more. Holds the id of the run. */
export const leaveLineSignal = 'opsbookLeaveLine'

/** Signal of the line to a run: it has the key, or is refused. Holds a {@link LineAnswer}. */
export const lineAnswerSignal = 'opsbookLineAnswer'

/** The answer of the line. */
export interface LineAnswer {
  /** As many runs wait as may: this number. Left out: the run has the key. */
  readonly refusedAt?: number
}

/** Signal of the line to a run without an effect: the line learns whether the run is open. */
export const holdsSignal = 'opsbookHolds'

/** Query: the {@link LineState}. */
export const lineQuery = 'opsbookLineState'
