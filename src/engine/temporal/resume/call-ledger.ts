import type { Attempted } from '../../../core/host/index.ts'
import { stepAddressOfCall } from '../../../core/plan/index.ts'
import type { IsKept } from '../../../core/record/index.ts'
import { type CallName, isKeptBy, outcomeOfEnded, type ReusableResult } from '../../../core/resume/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { CallEnd } from '../client/read-calls.ts'
import { type ContinuedState, isOpen, type Results } from '../continued-state.ts'
import { attemptKey } from '../messages.ts'

/** A call that a run has made, or whose result it has reused. */
export interface LedgerCall extends CallName {
  readonly attempt: number
  /** Left out: the outcome is unknown. */
  readonly attempted?: Attempted
  readonly requestId?: string
}

/**
 * The calls of all executions since the last resume with changes, and which of them count. The executions are read in
 * their order: the continued state of each says which earlier calls no longer count.
 */
export interface CallLedger {
  /** Adds the continued state that an execution starts from. The results of `isKept` count in any case. */
  begin(continued: ContinuedState, isKept?: IsKept): void
  /** The log has a wait at this path. Its time counts only when the run does not reach the path again. */
  reached(path: string, timeMs: number): void
  /** Adds a call that was begun or has ended. */
  note(call: LedgerCall): void
  /** The calls that count. */
  counting(): readonly LedgerCall[]
  /** The failed calls that do not count, since their step was tried again. */
  refused(): readonly LedgerCall[]
  /** When the run first reached the paths that it does not reach again. */
  firstReached(): ReadonlyMap<string, number>
}

export function createCallLedger(): CallLedger {
  const calls = new Map<string, LedgerCall>()
  const refused: LedgerCall[] = []
  const firstReached = new Map<string, number>()
  const taken = new Set<number>()
  let results: Results = new Map()

  const takeOver = ({ changed }: ContinuedState): void => {
    const reusables = new Map(changed?.reusables.map((reusable) => [reusable.id, reusable] as const))
    for (const { reusable: id, path, attempt, asked } of changed?.taken ?? []) {
      const reusable = taken.has(id) ? undefined : reusables.get(id)
      taken.add(id)
      if (!reusable) continue
      const { id: _id, outcome: _outcome, isWrite: _isWrite, ...call } = reusable
      calls.set(attemptKey({ path, attempt }), { ...call, path, attempt, asked })
    }
  }
  return {
    begin(continued, isKept = isKeptBy(continued.changed?.overrides)) {
      takeOver(continued)
      results = new Map(continued.results)
      const kept = new Map(continued.attempts.map((one) => [attemptKey(one), one] as const))
      for (const [key, call] of calls) {
        const known = kept.get(key)
        // A person may have resolved its unknown outcome.
        if (known) calls.set(key, { ...call, attempted: known.attempted })
        else if (
          isOpen(call.path, results) &&
          call.attempted &&
          !(call.attempted.status === 'succeeded' && isKept(stepAddressOfCall(call.path)))
        ) {
          calls.delete(key)
          if (call.attempted.status === 'failed') refused.push(call)
        }
      }
      const open = new Map(continued.firstReached)
      for (const path of firstReached.keys())
        if (isOpen(path, results) && !open.has(path)) firstReached.delete(path)
      for (const [path, timeMs] of open) firstReached.set(path, timeMs)
    },
    reached(path, timeMs) {
      if (!firstReached.has(path) && !isOpen(path, results)) firstReached.set(path, timeMs)
    },
    note: (call) => void calls.set(attemptKey(call), call),
    counting: () => [...calls.values()],
    refused: () => refused,
    firstReached: () => firstReached,
  }
}

/** The outcome of a call as a reusable result. */
export function outcomeOf({ attempted }: LedgerCall): ReusableResult['outcome'] {
  if (!attempted) return 'open'
  return outcomeOfEnded(attempted.status === 'failed' ? attempted.error : undefined)
}

/** The result of a call with this end in the history. */
export function attemptedOf(
  { atMs, answer, refusal, wasSent }: CallEnd,
  { path, action }: { readonly path: string; readonly action: string },
  startedAtMs: number,
): { readonly attempted: Attempted; readonly requestId?: string } {
  const { waitedMs, requestId } = answer ?? refusal ?? {}
  const times = { startedAtMs, endedAtMs: atMs, ...(waitedMs === undefined ? {} : { waitedMs }) }
  const known = requestId === undefined ? {} : { requestId }
  if (answer) return { attempted: { status: 'succeeded', output: answer.output, ...times }, ...known }
  const error = refusal?.error ?? lost(wasSent === true, path, action)
  return { attempted: { status: 'failed', error, ...times }, ...known }
}

function lost(wasSent: boolean, path: string, action: string): ErrorData {
  if (!wasSent)
    return { code: 'Cancelled', message: `${action} was cancelled before it was sent`, path, notSent: true }
  return { code: 'OutcomeUnknown', message: `${action} was begun, and its worker was lost`, path }
}
