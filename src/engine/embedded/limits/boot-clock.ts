import { readFileSync, readlinkSync } from 'node:fs'
import { uptime } from 'node:os'

/**
 * Milliseconds on the clock that all processes of one boot share. It cannot be set, and never goes back. Its times mean
 * nothing to another boot: see {@link readBoot}.
 */
export function bootNow(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/** Identifies one boot of a machine. */
export interface Boot {
  readonly name: string
  /** Whether a recorded name is that of this boot. */
  isNamed(name: string): boolean
  /** The system names its boots, so that one boot never has two names. */
  readonly isCertain: boolean
}

/** The boot in which this process runs. */
export function readBoot(): Boot {
  const name = nameOfSystem()
  if (name !== undefined) return { name, isNamed: (other) => other === name, isCertain: true }
  const bootedAt = Math.round(Date.now() - uptime() * 1000)
  // Clocks are corrected in small steps. No machine boots twice within a minute and does work in between.
  const isNear = (other: string): boolean => Math.abs(Number(other) - bootedAt) < 60_000
  return { name: String(bootedAt), isNamed: isNear, isCertain: false }
}

/** The name that Linux gives the boot. A container can have a clock of its own. */
function nameOfSystem(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/time')}`
  } catch {
    return undefined
  }
}
