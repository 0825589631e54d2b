/** What was started before, as far as a decision depends on it. Each engine keeps it where its events are. */
export interface StartMemory {
  /** A person has stopped all starting. */
  isPaused(): boolean
  /** The last start of the runbook for this dedupe key, as long as it is kept. */
  findKey(runbook: string, dedupeKey: string): PastStart | undefined
  /** The last start of the runbook by an event; for this cooldown key only, where there is one. */
  lastStart(runbook: string, cooldownKey: string | undefined): PastStart | undefined
  /** How many starts of the trigger lie after the one time and before the other, both Unix times in milliseconds. */
  countStarts(trigger: TriggerName, afterMs: number, beforeMs: number): number
  /** When people were last told that the trigger has more events than it may start runs, in Unix time in milliseconds. */
  lastNotifiedStartLimit(trigger: TriggerName): number | undefined
  /** The run of the runbook that holds this concurrency key. */
  findRunning(runbook: string, concurrencyKey: string): string | undefined
}

/** A trigger: its runbook, and its place in the list there. */
export interface TriggerName {
  readonly runbook: string
  readonly trigger: number
}

/** A run that was started before. */
export interface PastStart {
  readonly runId: string
  /** Unix time in milliseconds. */
  readonly atMs: number
}
