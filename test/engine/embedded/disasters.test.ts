import { execFileSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resumeRun, startRun } from 'opsbook'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSystemClock } from '../../../src/engine/attempt/clock.ts'
import { createStage, type Stage } from './support/stage.ts'

const steps = `  - { id: made, uses: note/make, with: { name: made } }
  - { id: read, for-each: { items: [1, 2, 3, 4, 5, 6, 7, 8] }, uses: note/read, with: { name: read } }
  - { id: last, uses: note/make, with: { name: last } }
`

/** A run that stopped before its last step. */
async function stopped(stage: Stage): Promise<string> {
  const handle = await stage.start(steps, {
    onEvent: (event) => {
      if (event.type === 'step_started' && event.path === 'last') handle.interrupt()
    },
  })
  expect((await handle.result).status).toBe('interrupted')
  stage.calls.splice(0)
  return handle.runId
}

describe('a page of the database that is overwritten with zeros', () => {
  it('is noticed before anything is called, whichever it is', async () => {
    const stage = createStage()
    const runId = await stopped(stage)
    stage.rows('PRAGMA wal_checkpoint(TRUNCATE)')
    const file = join(stage.dataDir, 'opsbook.db')
    const sound = readFileSync(file)
    const pageBytes = 4096
    expect(sound.length).toBeGreaterThan(20 * pageBytes)
    const outcomes = new Set<unknown>()
    for (let page = 0; page < sound.length / pageBytes; page++) {
      const damaged = Buffer.from(sound)
      damaged.fill(0, page * pageBytes, (page + 1) * pageBytes)
      writeFileSync(file, damaged)
      const error: unknown = await stage.reopen(runId).catch((thrown: unknown) => thrown)
      outcomes.add((error as { code?: unknown }).code)
    }
    expect([...outcomes]).toEqual(['DataDirUnusable'])
    expect(stage.calls).toEqual([])
    writeFileSync(file, sound)
    expect((await stage.resume(runId)).status).toBe('succeeded')
    expect(stage.calls).toEqual(['create last'])
  })
})

describe('a database that was copied', () => {
  it('is not resumed unless the caller says that the original was not', async () => {
    const stage = createStage()
    const runId = await stopped(stage)
    const copy = mkdtempSync(join(tmpdir(), 'opsbook-copy-'))
    onTestFinished(() => rmSync(copy, { recursive: true }))
    cpSync(stage.dataDir, copy, { recursive: true })
    expect((await stage.resume(runId)).status).toBe('succeeded')
    await expect(stage.reopen(runId, { dataDir: copy })).rejects.toMatchObject({ code: 'CopiedJournal' })
    expect(stage.calls).toEqual(['create last'])
    expect((await stage.resume(runId, { dataDir: copy, fromCopy: true })).status).toBe('succeeded')
    // The copy is the original from now on.
    expect(stage.calls).toEqual(['create last', 'create last'])
  })
})

describe('a clock that is set back by an hour', () => {
  it('continues from where it was, and is not ahead once it is set forward again', () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.parse('2026-03-01T12:00:00Z') })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const clock = createSystemClock()
    const before = clock.now()
    vi.setSystemTime(Date.parse('2026-03-01T11:00:00Z'))
    expect(clock.now() - before).toBe(0)
    vi.advanceTimersByTime(500)
    expect(clock.now() - before).toBe(500)
    vi.setSystemTime(Date.parse('2026-03-01T12:00:01Z'))
    expect(clock.now() - before).toBe(1000)
    vi.setSystemTime(Date.parse('2026-03-01T13:00:00Z'))
    expect(clock.now() - before).toBe(3_600_000)
  })

  it.each([
    {
      name: 'a wait',
      text: '  - { id: nap, uses: core/wait, with: { for: 10m } }\n  - { id: last, uses: note/make, with: { name: last } }\n',
    },
    {
      name: 'a pause before a repeat',
      text: '  - { id: last, uses: note/read, with: { name: last }, retry: { attempts: 3, delay: 10m, max-delay: 10m, backoff: 1 } }\n',
    },
  ])('does not make $name longer, when the run continues in another process', async ({ text }) => {
    const stage = createStage()
    const noon = Date.parse('2026-03-01T12:00:00Z')
    let now = noon
    let longestMs = 0
    const clock = {
      now: () => now,
      // Whatever is waited for comes at once, unless the run is to stop.
      waitUntil: (timeMs: number) => {
        if (timeMs - now < 86_400_000) longestMs = Math.max(longestMs, timeMs - now)
        now = Math.max(now, Math.min(timeMs, now + 86_400_000))
        return Promise.resolve()
      },
    }
    stage.answer = ({ name, attempt }) => {
      if (attempt === 1)
        throw Object.assign(new Error('later'), { name: 'RunbookError', code: 'ServiceUnavailable' })
      return { name }
    }
    if (text.includes('core/wait')) stage.answer = ({ name }) => ({ name })
    const handle = await stage.start(text, {
      clock: {
        ...clock,
        waitUntil() {
          handle.interrupt()
          return Promise.resolve()
        },
      },
    })
    expect((await handle.result).status).toBe('interrupted')
    now = noon - 3_600_000
    expect((await stage.resume(handle.runId, { clock })).status).toBe('succeeded')
    expect(longestMs).toBeGreaterThan(0)
    expect(longestMs).toBeLessThanOrEqual(600_000)
  })
})

describe('a disk that is full', () => {
  it('ends the run with what was made; with free space it resumes, and creates nothing twice', async (test) => {
    const folder = mountSmallDisk()
    if (folder === undefined)
      return test.skip('a small disk of its own can only be mounted by root, on Linux')
    const stage = createStage()
    const filler = join(folder, 'filler')
    const common = {
      dataDir: folder,
      plan: stage.plan(steps),
      actions: stage.actions,
      inputs: {},
      checkInputs: stage.checkInputs,
      connect: () => Promise.reject(new Error('no connection')),
    }
    let isFull = false
    stage.answer = ({ name }) => {
      // The intent is on disk, the result will not be.
      if (name === 'last' && !isFull) {
        isFull = true
        fill(filler)
        return { name, text: 'x'.repeat(200_000) }
      }
      return { name }
    }
    const report = await (await startRun(common)).result
    expect(
      report.status === 'unknown' || report.error?.code === 'DataDirUnusable',
      JSON.stringify(report.error),
    ).toBe(true)
    const made = stage.calls.filter((call) => call === 'create last').length
    expect(made).toBe(1)
    rmSync(filler)
    const outcome = await resumeRun({ ...common, runId: report.run_id }).then(
      (handle) => handle.result,
      (error: unknown) => error,
    )
    expect(outcome).toMatchObject(
      (outcome as { status?: string }).status === undefined
        ? { code: 'OutcomeUnknown' }
        : { status: 'unknown' },
    )
    expect(stage.calls.filter((call) => call.startsWith('create'))).toEqual(['create made', 'create last'])
  })
})

function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-small-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}

/** Fills the disk. */
function fill(file: string): void {
  const handle = openSync(file, 'w')
  try {
    for (const bytes of [65_536, 4096, 512])
      for (;;) if (writeSync(handle, Buffer.alloc(bytes)) < bytes) break
  } catch {
    // ENOSPC: that is all.
  } finally {
    closeSync(handle)
  }
}
