import { existsSync } from 'node:fs'
import type { SharedLimits } from '../engine/embedded/index.ts'
import type { ServiceChoice } from './open-service.ts'

/** Limits as a command uses them, and what is to be said about them. */
export interface OpenLimits {
  /** None where the command counts for itself. */
  readonly limits: SharedLimits | undefined
  readonly warnings: readonly string[]
}

/**
 * Opens the limits that all processes on the data directory share. The sandbox of one command is nobody else's: nothing
 * is shared for it.
 */
export async function shareLimits(dataDir: string, { sandbox }: ServiceChoice): Promise<OpenLimits> {
  if (sandbox) return { limits: undefined, warnings: [] }
  // Not through the door of the engine: a single call needs no more of it.
  const { createSharedLimits } = await import('../engine/embedded/shared-limits/index.ts')
  const warnings: string[] = []
  const limits = createSharedLimits(dataDir, { onWarning: (message) => warnings.push(message) })
  return { limits, warnings }
}

/**
 * The same for a single call: it makes no data directory, and one that cannot be used is no reason not to call. Then it
 * counts for itself, and says so.
 */
export async function shareLimitsIfPossible(dataDir: string, choice: ServiceChoice): Promise<OpenLimits> {
  if (!existsSync(dataDir)) return { limits: undefined, warnings: [] }
  try {
    return await shareLimits(dataDir, choice)
  } catch (error) {
    const warning = `the rate limits are not shared with other processes: ${(error as Error).message}`
    return { limits: undefined, warnings: [warning] }
  }
}
