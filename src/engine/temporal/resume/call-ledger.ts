import { type CallName, outcomeOfEnded, type Seed } from '../../../core/amend/seed.ts'
import type { Attempted } from '../../../core/host.ts'
import type { Carried, CarriedSeed } from '../carried.ts'
import { isOpen, type Results } from '../settled.ts'

/** A call that a run has made, or taken over. */
export interface LedgerCall extends CallName {
  readonly attempt: number
  /** Left out: nobody knows how it ended. */
  readonly attempted?: Attempted
  readonly requestId?: string
}

/**
 * What all executions of a run since it was amended last have called, and which of it counts. They are gone through in
 * their order: what an execution takes along says what of those before it counts no longer.
 */
export interface CallLedger {
  /** An execution began with this, or would. */
  begin(carried: Carried): void
  /** The run waited at this place, by its log. Counts where it does not come there again, and nothing else is known. */
  reached(path: string, timeMs: number): void
  /** A call was begun, or has ended like this. */
  note(call: LedgerCall): void
  /** Those that count. */
  counting(): readonly LedgerCall[]
  /** Those that failed, and do not count since the step was tried again. */
  refused(): readonly LedgerCall[]
  /** When the run first came to places that it does not come to again. */
  marks(): ReadonlyMap<string, number>
}

export function createCallLedger(): CallLedger {
  const calls = new Map<string, LedgerCall>()
  const refused: LedgerCall[] = []
  const marks = new Map<string, number>()
  const taken = new Set<number>()
  let results: Results = new Map()

  const takeOver = ({ amended }: Carried): void => {
    const seeds = new Map(amended?.seeds.map((seed) => [seed.id, seed] as const))
    for (const { seed: id, path, attempt, asked } of amended?.taken ?? []) {
      const seed = taken.has(id) ? undefined : seeds.get(id)
      taken.add(id)
      if (seed) calls.set(keyOf(path, attempt), { ...callOf(seed), path, attempt, asked })
    }
  }
  return {
    begin(carried) {
      takeOver(carried)
      results = new Map(carried.results)
      const kept = new Map(carried.attempts.map((one) => [keyOf(one.path, one.attempt), one] as const))
      for (const [key, call] of calls) {
        const known = kept.get(key)
        // A person may have said what became of it.
        if (known) calls.set(key, { ...call, attempted: known.attempted })
        else if (isOpen(call.path, results) && call.attempted) {
          calls.delete(key)
          if (call.attempted.status === 'failed') refused.push(call)
        }
      }
      const open = new Map(carried.marks)
      for (const path of marks.keys()) if (isOpen(path, results) && !open.has(path)) marks.delete(path)
      for (const [path, timeMs] of open) marks.set(path, timeMs)
    },
    reached(path, timeMs) {
      if (!marks.has(path) && !isOpen(path, results)) marks.set(path, timeMs)
    },
    note: (call) => void calls.set(keyOf(call.path, call.attempt), call),
    counting: () => [...calls.values()],
    refused: () => refused,
    marks: () => marks,
  }
}

function keyOf(path: string, attempt: number): string {
  return `${path}#${attempt}`
}

function callOf({ action, attempted, requestId }: CarriedSeed): Omit<
  LedgerCall,
  keyof CallName | 'attempt'
> & {
  readonly action: string
} {
  return {
    action,
    ...(attempted === undefined ? {} : { attempted }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** What a call counts as once it is set aside. */
export function outcomeOf({ attempted }: LedgerCall): Seed['outcome'] {
  if (!attempted) return 'open'
  return outcomeOfEnded(attempted.status === 'failed' ? attempted.error : undefined)
}
