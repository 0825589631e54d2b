import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RefusedDelivery } from '../../core/triggers/index.ts'
import type { DeliveryAnswer } from './delivery-answer.ts'

/** Keeps the last refused deliveries on disk, for `opsbook events --refused` and the console. */
export interface RefusedDeliveries {
  /** Records the answer to a delivery, unless it was accepted. */
  take(answer: DeliveryAnswer): void
  /** Writes what is not on disk yet. */
  close(): Promise<void>
}

const mostKept = 1000
const groupMs = 60_000
/** Thousands of refused deliveries cause one write a second. */
const writeAfterMs = 1000
const mostReason = 500

/** The refused deliveries that `serve` has recorded in this data directory, the oldest first. */
export function readRefusedDeliveries(dataDir: string): readonly RefusedDelivery[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileIn(dataDir), 'utf8'))
    return Array.isArray(kept) ? kept : []
  } catch {
    // None yet, or a damaged file: nothing depends on it.
    return []
  }
}

export function openRefusedDeliveries(dataDir: string, mask: (text: string) => string): RefusedDeliveries {
  const kept = [...readRefusedDeliveries(dataDir)]
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = (): void => {
    timer = undefined
    const text = JSON.stringify(kept)
    // A full disk must not stop valid deliveries.
    writing = writing.then(() => replaceFile(dataDir, text)).catch(() => {})
  }
  return {
    take(answer) {
      if ('event' in answer) return
      const { hook, status } = answer
      const reason = mask(answer.reason).slice(0, mostReason)
      const now = Date.now()
      const isAlike = (one: RefusedDelivery): boolean =>
        one.hook === hook && one.status === status && one.reason === reason
      const at = kept.findLastIndex(isAlike)
      const before = kept[at]
      const last_at = new Date(now).toISOString()
      if (before && now - Date.parse(before.first_at) < groupMs) {
        kept[at] = { ...before, count: before.count + 1, last_at }
      } else {
        kept.push({
          ...(hook === undefined ? {} : { hook }),
          status,
          reason,
          count: 1,
          first_at: last_at,
          last_at,
        })
        if (kept.length > mostKept) kept.shift()
      }
      timer ??= setTimeout(write, writeAfterMs)
    },
    async close() {
      if (timer) {
        clearTimeout(timer)
        write()
      }
      await writing
    },
  }
}

async function replaceFile(dataDir: string, text: string): Promise<void> {
  const file = fileIn(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'refused-deliveries.json')
}

/** Derives from the last delivery whether the next one can be accepted. */
export interface DeliveryWatch {
  answered(answer: DeliveryAnswer): void
  /** Why the next delivery may fail. Undefined: no known reason. */
  problem(): string | undefined
}

/** How long a failure counts: without deliveries none can succeed. */
const countsMs = 60_000

export function createDeliveryWatch(now: () => number = Date.now): DeliveryWatch {
  let failedAtMs: number | undefined
  return {
    answered(answer) {
      if ('event' in answer) failedAtMs = undefined
      else if (answer.isFailure) failedAtMs = now()
    },
    problem() {
      const isRecent = failedAtMs !== undefined && Math.abs(now() - failedAtMs) < countsMs
      return isRecent ? 'the last delivery failed; the log has its id and the cause' : undefined
    },
  }
}
