import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isBusy } from '../../file-lock/index.ts'
import { bootNow } from './boot-clock.ts'
import type { LimitRows } from './limit-rows.ts'
import { limitsUnusable, type OpenOptions, openLimits } from './open-limits.ts'
import { lockFileOf } from './process-rows.ts'

/** What one transaction works with. */
export interface Page extends LimitRows {
  /** Whole milliseconds of the boot's clock, rounded down: nothing is free too early. */
  readonly now: number
  /** The number of this process. */
  readonly process: number
}

/**
 * The shared state of all processes of a data directory. All questions and notes of one turn of the event loop share
 * one transaction.
 */
export interface Ledger {
  /** Resolves with the answer after it is recorded. Rejects with `DataDirUnusable`. */
  ask<Answer>(question: (page: Page) => Answer): Promise<Answer>
  /**
   * Queues a write, which is recorded in order and before the next question. Until then other processes wait longer
   * than necessary. `soon`: another process may be waiting for it.
   */
  note(write: (page: Page) => void, soon?: 'soon'): void
  /** Marks this process as waiting. The returned function ends that. */
  wait(): () => void
  /** Checks whether the other processes live. True: one was dead, and its permits and targets are released. */
  releaseDead(page: Page): boolean
  close(): void
}

interface Question {
  readonly work: (page: Page) => unknown
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

/** Notes are written with the next question, or alone after this time. */
const noteDelayMs = 5
/** The time between two checks of the other processes. */
const checkMs = 100
/** The time between two attempts to get the write lock. */
const retryMs = 2

export function openLedger(dataDir: string, options: OpenOptions): Ledger {
  const { database, file, rows, process, name, lifeLock } = openLimits(dataDir, options)
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let questions: Question[] = []
  let notes: ((page: Page) => void)[] = []
  let due: 'never' | 'later' | 'soon' = 'never'
  let blockedAt: number | undefined
  let checkedAt = 0
  let waiters = 0
  let beat: NodeJS.Timeout | undefined

  const transact = (works: readonly ((page: Page) => unknown)[]): readonly unknown[] => {
    begin.run()
    try {
      rows.rates.begin()
      const page: Page = { ...rows, process, now: Math.floor(bootNow()) }
      const answers = works.map((work) => work(page))
      rows.rates.write()
      commit.run()
      return answers
    } catch (error) {
      rows.rates.forget()
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
  const run = (): void => {
    due = 'never'
    if (!database.isOpen || questions.length + notes.length === 0) return
    const [asked, noted] = [questions, notes]
    let answers: readonly unknown[]
    try {
      answers = transact([...noted, ...asked.map(({ work }) => work)])
    } catch (error) {
      fail(error)
      return
    }
    blockedAt = undefined
    notes = notes.slice(noted.length)
    questions = questions.slice(asked.length)
    for (const [index, { resolve }] of asked.entries()) resolve(answers[noted.length + index] as never)
  }
  /** Notes are kept for the next attempt: until then, what they release stays taken. */
  const fail = (error: unknown): void => {
    if (isBusy(error)) {
      blockedAt ??= bootNow()
      if (bootNow() - blockedAt < options.maxWaitMs) {
        due = 'later'
        setTimeout(run, retryMs)
        return
      }
    }
    blockedAt = undefined
    const refused = questions
    questions = []
    for (const { reject } of refused) reject(limitsUnusable(file, error))
  }
  const runSoon = (): void => {
    if (due === 'soon' || blockedAt !== undefined) return
    due = 'soon'
    setImmediate(run)
  }
  const ledger: Ledger = {
    ask(work) {
      return new Promise((resolve, reject) => {
        if (!database.isOpen) return reject(limitsUnusable(file, new Error('it was closed')))
        questions.push({ work, resolve, reject })
        runSoon()
      })
    },
    note(write, soon) {
      notes.push(write)
      if (soon) runSoon()
      else if (due === 'never') {
        due = 'later'
        setTimeout(run, noteDelayMs).unref()
      }
    },
    wait() {
      waiters++
      beat ??= setInterval(() => ledger.ask(ledger.releaseDead).catch(() => {}), checkMs).unref()
      return () => {
        if (--waiters > 0) return
        clearInterval(beat)
        beat = undefined
      }
    },
    releaseDead(page) {
      const { processes, now } = page
      if (now - checkedAt < checkMs / 2) return false
      checkedAt = now
      processes.see(process, now)
      const dead = processes.listDead(process)
      // It may have sent its reserved calls until now.
      for (const one of dead) page.endProcess(one, Math.ceil(bootNow()))
      return dead.length > 0
    },
    close() {
      if (!database.isOpen) return
      clearInterval(beat)
      notes.push((page) => page.endProcess({ id: process, name }, Math.ceil(bootNow())))
      run()
      for (const { reject } of questions) reject(limitsUnusable(file, new Error('it was closed')))
      database.close()
      lifeLock.release()
      rmSync(lockFileOf(join(dirname(file), 'limits'), name), { force: true })
    },
  }
  return ledger
}
