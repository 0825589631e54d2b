import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSharedLimits, type SharedLimits, type SharedLimitsOptions } from 'opsbook'
import { onTestFinished } from 'vitest'
import { type Child, startScript } from './child.ts'
import type { LimitsJob } from './limits-in-child.ts'

/** A data directory of its own, and those who share it. */
export interface LimitsStage {
  readonly dataDir: string
  /** Told to those that were opened here. */
  readonly warnings: string[]
  /** One more that shares the limits, in this process. */
  open(options?: SharedLimitsOptions): SharedLimits
  /** One more that shares them in a process of its own. */
  child(job: Partial<LimitsJob>): Child
}

export function createLimitsStage(marginMs = 20): LimitsStage {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-limits-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const warnings: string[] = []
  const onWarning = (message: string): void => void warnings.push(message)
  return {
    dataDir,
    warnings,
    open(options) {
      const limits = createSharedLimits(dataDir, { marginMs, onWarning, ...options })
      onTestFinished(() => limits.close())
      return limits
    },
    child: (job) =>
      startScript('limits-in-child', {
        dataDir,
        marginMs,
        windows: [],
        ...job,
      }),
  }
}

/** The clock that all processes of this machine see alike. */
export function machineMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}
