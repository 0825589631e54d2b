import { setTimeout } from 'node:timers/promises'

/** Where a clock stands, as plain data. */
export type ClockState =
  | { readonly kind: 'running'; readonly offsetMs: number }
  | { readonly kind: 'stopped'; readonly nowMs: number }

/** The one clock of a sandbox: rate windows and every time in an answer come from it. */
export interface SandboxClock {
  /** Unix time in milliseconds, with a fraction while the clock runs. */
  now(): number
  /** Sets the clock; it stands still from then on. */
  set(nowMs: number): void
  /** Moves the clock; a running clock keeps running. */
  advance(ms: number): void
  /** Lets a stopped clock run on from where it stands. */
  run(): void
  /** Back to the time of this machine. */
  reset(): void
  state(): ClockState
  /** Rises with every change. */
  changes(): number
}

/** The time of this machine in Unix milliseconds, finer than `Date.now()`, never going back. */
export function machineTime(): number {
  return performance.timeOrigin + performance.now()
}

export function createClock(initial: ClockState = { kind: 'running', offsetMs: 0 }): SandboxClock {
  let state = initial
  let changes = 0
  const change = (next: ClockState): void => {
    state = next
    changes += 1
  }
  const now = (): number => (state.kind === 'stopped' ? state.nowMs : machineTime() + state.offsetMs)
  return {
    now,
    set: (nowMs) => change({ kind: 'stopped', nowMs }),
    advance(ms) {
      change(
        state.kind === 'stopped'
          ? { kind: 'stopped', nowMs: state.nowMs + ms }
          : { kind: 'running', offsetMs: state.offsetMs + ms },
      )
    },
    run: () => change({ kind: 'running', offsetMs: now() - machineTime() }),
    reset: () => change({ kind: 'running', offsetMs: 0 }),
    state: () => state,
    changes: () => changes,
  }
}

/** Waits; returns early when the sandbox closes. */
export async function waitUnlessClosing(ms: number, closing: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal: closing }).catch(() => undefined)
}
