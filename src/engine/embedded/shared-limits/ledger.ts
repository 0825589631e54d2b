import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isBusy } from '../../file-lock.ts'
import { bootNow } from './boot-clock.ts'
import type { LimitRows } from './limit-rows.ts'
import { type OpenOptions, openLimits } from './open-limits.ts'
import { lockFileOf } from './process-rows.ts'
import { limitsUnusable } from './unusable.ts'

/** What one transaction works with. */
export interface Page extends LimitRows {
  /** Whole milliseconds of the boot's clock, rounded down: nothing is free too early. */
  readonly now: number
  /** This process, by its number. */
  readonly process: number
}

/**
 * What all processes on a data directory know together. Everything that is asked in one turn of the event loop is one
 * transaction, and so is what was noted before.
 */
export interface Ledger {
  /** Resolves with the answer once it is on record. Rejects with `DataDirUnusable`. */
  ask<Answer>(question: (page: Page) => Answer): Promise<Answer>
  /**
   * Puts something on record, in order and before the next question. It can wait: until it is on record others wait
   * longer than they must, and nothing worse. `soon`: somebody may be waiting for it.
   */
  note(write: (page: Page) => void, soon?: 'soon'): void
  /** Shows the others that this process waits, until it is told to stop. */
  wait(): () => void
  /** Looks whether all the others live; true where one did not, and what it had is free. */
  lookAround(page: Page): boolean
  close(): void
}

interface Question {
  readonly work: (page: Page) => unknown
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

/** Notes go along with the next question, or alone after this time. */
const noteDelayMs = 5
/** Between two looks at the others. */
const lookMs = 100
/** Between two tries to be the one who writes. */
const retryMs = 2

export function openLedger(dataDir: string, options: OpenOptions): Ledger {
  const { database, file, rows, process, name, life } = openLimits(dataDir, options)
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let questions: Question[] = []
  let notes: ((page: Page) => void)[] = []
  let due: 'never' | 'later' | 'soon' = 'never'
  let blockedAt: number | undefined
  let lookedAt = 0
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
  /** Notes are kept: until they are written, what they free stays taken. */
  const fail = (error: unknown): void => {
    if (isBusy(error)) {
      blockedAt ??= bootNow()
      if (bootNow() - blockedAt < options.patienceMs) {
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
      beat ??= setInterval(() => ledger.ask(ledger.lookAround).catch(() => {}), lookMs).unref()
      return () => {
        if (--waiters > 0) return
        clearInterval(beat)
        beat = undefined
      }
    },
    lookAround(page) {
      const { processes, now } = page
      if (now - lookedAt < lookMs / 2) return false
      lookedAt = now
      processes.see(process, now)
      const dead = processes.listDead(process)
      // Until this very moment it may have sent what it had reserved.
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
      life.release()
      rmSync(lockFileOf(join(dirname(file), 'limits'), name), { force: true })
    },
  }
  return ledger
}
