import type { JsonObject } from '../../core/json.ts'

/** What the console reads, as the documents of the commands: the command line and the console make them by one function. */
export interface ConsoleReads {
  /** The runs that the parameters select, and where the next page begins. */
  runs(query: RunsQuery): Promise<JsonObject>
  /** Rejects with a `RunNotFound` if there is no such run, as all readers of one run do. */
  run(runId: string): Promise<JsonObject>
  view(runId: string): Promise<JsonObject>
}

/** The filters of a list of runs, in the words of `opsbook runs`. */
export interface RunsQuery {
  readonly status?: readonly string[]
  readonly runbook?: string
  readonly label?: readonly string[]
  readonly since?: string
  readonly until?: string
  /** The cursor of the page before. */
  readonly after?: string
  readonly limit: number
}
