import { existsSync } from 'node:fs'
import type { SharedLimits } from '../../engine/embedded/index.ts'
import type { ServiceChoice } from '../connections/service-choice.ts'

/** The shared limits of a command, and warnings about them. */
export interface SharedLimitsOfRun {
  /** Undefined if the command counts for itself. */
  readonly limits: SharedLimits | undefined
  readonly warnings: readonly string[]
}

/**
 * Opens the limits that all processes of the data directory share. A sandbox of one command shares none.
 */
export async function shareLimits(dataDir: string, { sandbox }: ServiceChoice): Promise<SharedLimitsOfRun> {
  if (sandbox) return { limits: undefined, warnings: [] }
  const { createSharedLimits } = await import('../../engine/embedded/index.ts')
  const warnings: string[] = []
  const limits = createSharedLimits(dataDir, { onWarning: (message) => warnings.push(message) })
  return { limits, warnings }
}

/**
 * Opens the shared limits for a single call. It creates no data directory; if the directory is unusable, the call counts
 * for itself, with a warning.
 */
export async function shareLimitsIfPossible(
  dataDir: string,
  choice: ServiceChoice,
): Promise<SharedLimitsOfRun> {
  if (!existsSync(dataDir)) return { limits: undefined, warnings: [] }
  try {
    return await shareLimits(dataDir, choice)
  } catch (error) {
    const warning = `the rate limits are not shared with other processes: ${(error as Error).message}`
    return { limits: undefined, warnings: [warning] }
  }
}
