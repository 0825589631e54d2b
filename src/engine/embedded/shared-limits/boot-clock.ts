import { readFileSync, readlinkSync } from 'node:fs'
import { uptime } from 'node:os'

/**
 * Milliseconds on the clock that all processes of one boot share. Nobody sets it, and it never goes back. What is
 * counted by it means nothing to another boot: see {@link readBoot}.
 */
export function bootNow(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/** What tells one boot of a machine from another. */
export interface Boot {
  readonly name: string
  /** Whether a name that somebody left is that of this boot. */
  isNamed(name: string): boolean
  /** The system names its boots itself: the same boot never has two names. */
  readonly isCertain: boolean
}

/** The boot that this process runs in. */
export function readBoot(): Boot {
  const name = nameOfSystem()
  if (name !== undefined) return { name, isNamed: (other) => other === name, isCertain: true }
  const bootedAt = Math.round(Date.now() - uptime() * 1000)
  // Clocks are set right by a little all the time; no machine boots twice within a minute and is used in between.
  const isNear = (other: string): boolean => Math.abs(Number(other) - bootedAt) < 60_000
  return { name: String(bootedAt), isNamed: isNear, isCertain: false }
}

/** Linux names its boots; a container can have a clock of its own. */
function nameOfSystem(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/time')}`
  } catch {
    return undefined
  }
}
