import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type NoPermit, type RateLease, steadyNow, unlimited } from '../../../api/pacing/index.ts'
import type { RateWindow } from '../../../core/pacing/index.ts'
import { isBusy } from '../../file-lock/index.ts'
import { limitsUnusable, type OpenLimits } from './open-limits.ts'
import { type PermitRows, pollMs } from './permit-rows.ts'
import { machineNow } from './schema.ts'

/** The permits of all processes of a data directory. */
export interface Permits {
  /** Takes a permit, or says when to ask again. `onFree` is called when it is returned. Throws `DataDirUnusable`. */
  take(key: string, windows: readonly RateWindow[], onFree: () => void): RateLease | NoPermit
  pause(key: string, untilMs: number): void
  close(): void
}

/** Processes that wait for the same permit ask at different times within this, so that none always comes first. */
const jitterMs = 5
/** The time between two checks whether the others live. */
const checkMs = 100
/** The offset between the clock of this process and that of the machine, which run at the same speed. */
const steadyAheadMs = steadyNow() - machineNow()

export function openPermits(limits: OpenLimits, maxWaitMs: number): Permits {
  const { file, database, rows, isAlive } = limits
  const { transact, note, write } = openWriter(database)
  let busySince: number | undefined
  let checkedAt = 0

  const endDead = (): void => {
    if (machineNow() - checkedAt < checkMs) return
    checkedAt = machineNow()
    const dead = rows.listHolders().filter((holder) => !isAlive(holder))
    for (const holder of dead) note(() => rows.endHolder(holder, Math.ceil(machineNow())))
  }
  const ask = (key: string, windows: readonly RateWindow[]): ReturnType<PermitRows['take']> => {
    try {
      if (!database.isOpen) throw new Error('it was closed')
      // Rounded down, while what happened is rounded up: nothing is free too early.
      const answer = transact(() => rows.take(key, windows, Math.floor(machineNow())))
      busySince = undefined
      if (typeof answer === 'object') endDead()
      return answer
    } catch (error) {
      const now = machineNow()
      busySince ??= now
      if (isBusy(error) && now - busySince < maxWaitMs)
        return { reason: 'budget', untilMs: now, askAgainMs: now + pollMs }
      busySince = undefined
      throw limitsUnusable(file, error)
    }
  }
  const createLease = (id: number, onFree: () => void): RateLease => ({
    sent() {
      const at = Math.ceil(machineNow())
      note(() => rows.markSent(id, at))
      return true
    },
    done() {
      const at = Math.ceil(machineNow())
      note(() => rows.markAnswered(id, at))
    },
    cancel() {
      note(() => rows.free(id))
      // Others may be waiting for it.
      write()
      onFree()
    },
  })
  return {
    take(key, windows, onFree) {
      const answer = ask(key, windows)
      if (answer === undefined) return unlimited
      if (typeof answer === 'number') return createLease(answer, onFree)
      const { reason, untilMs, askAgainMs = untilMs } = answer
      const jitteredMs = askAgainMs + jitterMs * Math.random()
      return { reason, untilMs: untilMs + steadyAheadMs, askAgainMs: jitteredMs + steadyAheadMs }
    },
    pause(key, untilMs) {
      const [from, until] = [Math.floor(machineNow()), Math.ceil(untilMs - steadyAheadMs)]
      note(() => rows.pause(key, until, from))
      write()
    },
    close() {
      if (!database.isOpen) return
      write()
      limits.close()
    },
  }
}

/** What is noted is written alone after this time. */
const noteDelayMs = 5

function openWriter(database: DatabaseSyncInstance) {
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')]
  let notes: readonly (() => void)[] = []
  let isDue = false

  /** Does this work, after all that was noted, in one transaction. */
  const transact = <Answer>(work: () => Answer): Answer => {
    begin.run()
    try {
      for (const change of notes) change()
      const answer = work()
      commit.run()
      notes = []
      return answer
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
  const writeLater = (delayMs: number): void => {
    if (!isDue) setTimeout(write, delayMs).unref()
    isDue = true
  }
  /** Writes what was noted. If it cannot be written now, it is written later: until then, others wait too long. */
  const write = (): void => {
    isDue = false
    if (!database.isOpen || notes.length === 0) return
    try {
      transact(() => {})
    } catch {
      writeLater(pollMs)
    }
  }
  return {
    transact,
    /** Writes this with the next transaction, or alone after a short time. */
    note(change: () => void): void {
      notes = [...notes, change]
      writeLater(noteDelayMs)
    },
    write,
  }
}
