/** The messages between the line workflow of a `concurrency` key, the runs that need the key, and those that start them. */

/** Name of the workflow type of lines: its id is the key, and it is open as long as a run has the key or waits for it. */
export const lineType = 'opsbookLine'

/** What the web UI shows of a line. */
export const lineSummary = 'the runs that have a concurrency key or wait for it'

/** The line that a run needs a place of before its first step. */
export interface AwaitedLine {
  /** Id of the line workflow. */
  readonly lineId: string
  readonly key: string
  /** The number of runs that may have the key. */
  readonly limit: number
  /** The run does not wait: it begins at once, or not at all. */
  readonly refuses?: true
  /** The line keeps the key for the run until then: one that begins later asks. By the clock of the server. */
  readonly mineUntilMs?: number | undefined
  /** An earlier execution of the run has the key. */
  readonly isMine?: true
}

/** A run that needs the key. */
export interface RunInLine extends Pick<AwaitedLine, 'limit' | 'refuses'> {
  readonly runId: string
  /** The workflow that receives the answer; left out: the run. */
  readonly askedBy?: string
}

/** A run that has the key. */
export interface LineHolder {
  readonly runId: string
  /** The run need not exist before this time: who starts it has asked first. */
  readonly startsUntilMs?: number
}

/** The runs that have a key, and those that wait for it, in their order. */
export interface LineState {
  readonly holders: readonly LineHolder[]
  readonly waiting: readonly RunInLine[]
}

/** What a line is started with. */
export const emptyLine: LineState = { holders: [], waiting: [] }

/** Signal to the line: a run needs the key. A run that waits repeats it. Holds a {@link RunInLine}. */
export const joinLineSignal = 'opsbookJoinLine'

/** Update: whether a run that does not wait, a {@link RunInLine}, may begin. Returns a {@link LineAnswer}. */
export const mayBeginUpdate = 'opsbookMayBegin'

/** Signal of a run to the line: it needs the key no more. Holds the id of the run. */
export const leaveLineSignal = 'opsbookLeaveLine'

/** Signal of the line to who asked: the run has the key, or is refused. Holds a {@link LineAnswer}. */
export const lineAnswerSignal = 'opsbookLineAnswer'

/** The answer of the line about a run. Without a reason to refuse it, it has the key. */
export interface LineAnswer extends Pick<AwaitedLine, 'mineUntilMs'> {
  readonly runId: string
  /** As many runs wait as may: this number. */
  readonly refusedAt?: number
  /** The run that has the key. */
  readonly holder?: string
}

/** Signal of the line to a run without an effect: the line learns whether the run is open. */
export const holdsSignal = 'opsbookHolds'

/** Query: the {@link LineState}. */
export const lineQuery = 'opsbookLineState'
