import type {
  DecidedEvent,
  DecidedStart,
  StartMemory,
  TriggerName,
} from '../../../src/core/triggers/decide-event.ts'

/** A memory of starts in plain lists: what others are compared with. */
export interface ListMemory extends StartMemory {
  take(decided: DecidedEvent, nowMs: number): void
  end(runId: string): void
  setPaused(isPaused: boolean): void
}

export function createListMemory(): ListMemory {
  const starts: (DecidedStart & { readonly atMs: number })[] = []
  const told: (TriggerName & { readonly atMs: number })[] = []
  const ended = new Set<string>()
  let isPaused = false
  const past = (found: (typeof starts)[number] | undefined) =>
    found && { runId: found.runId, atMs: found.atMs }
  return {
    isPaused: () => isPaused,
    findKey: (runbook, key) =>
      past(starts.findLast(({ candidate }) => candidate.runbook === runbook && candidate.dedupeKey === key)),
    lastStart: (runbook, key) =>
      past(
        starts.findLast(
          ({ candidate }) =>
            candidate.runbook === runbook && (key === undefined || candidate.cooldown?.key === key),
        ),
      ),
    countStarts: ({ runbook, trigger }, afterMs, beforeMs) =>
      starts.filter(
        ({ candidate, atMs }) =>
          candidate.runbook === runbook && candidate.trigger === trigger && atMs > afterMs && atMs < beforeMs,
      ).length,
    lastNotifiedStartLimit: ({ runbook, trigger }) =>
      told.findLast((one) => one.runbook === runbook && one.trigger === trigger)?.atMs,
    findRunning: (runbook, { key }) =>
      starts.findLast(
        ({ runId, candidate, concurrencyKey }) =>
          candidate.runbook === runbook && concurrencyKey === key && !ended.has(runId),
      )?.runId,
    take(decided, atMs) {
      starts.push(...decided.starts.map((start) => ({ ...start, atMs })))
      for (const { runbook, trigger, isToTell } of decided.startLimits)
        if (isToTell) told.push({ runbook, trigger, atMs })
    },
    end: (runId) => void ended.add(runId),
    setPaused(value) {
      isPaused = value
    },
  }
}
