import { setTimeout } from 'node:timers/promises'

/** Waits; returns early when the sandbox closes. */
export async function pause(ms: number, closing: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal: closing }).catch(() => undefined)
}
