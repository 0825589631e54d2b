import { closeSync, existsSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { createSharedLimits } from 'opsbook'
import { expect, it } from 'vitest'
import { createLimitsStage, type LimitsStage, machineMs } from '../support/limits-stage.ts'

const unusable = (message: RegExp): object =>
  expect.objectContaining({ code: 'DataDirUnusable', notSent: true, message: expect.stringMatching(message) })
const day = [{ max: 1, lengthMs: 86_400_000 }]

const fileOf = ({ dataDir }: LimitsStage): string => join(dataDir, 'limits.db')

/** Uses up the one call of a day, in a process of its own. */
async function useUp(stage: LimitsStage): Promise<void> {
  await stage.child({ windows: day, calls: 1 }).ended
}

/** As another program does with the file while it is not in use. */
function change(stage: LimitsStage, sql: string): void {
  const database = new DatabaseSync(fileOf(stage))
  database.exec(sql)
  database.close()
}

/** Zeros in a page, or in all of them. */
function overwrite(file: string, page: number | 'all'): void {
  const handle = openSync(file, 'r+')
  const [from, length] = page === 'all' ? [0, statSync(file).size] : [page * 4096, 4096]
  writeSync(handle, Buffer.alloc(length), 0, length, from)
  closeSync(handle)
}

it('what was counted is kept when all have ended, and no locks are left but the one for opening', async () => {
  const stage = createLimitsStage()
  await useUp(stage)
  const next = stage.open()
  await expect(next.budget.acquire('key', day, { maxWaitMs: 1000 })).rejects.toMatchObject({
    code: 'RequestTooFrequently',
  })
  next.close()
  expect(readdirSync(join(stage.dataDir, 'limits'))).toEqual(['opening.lock', 'targets'])
})

it('what was counted before the machine started again counts from now on, for one window', async () => {
  const stage = createLimitsStage()
  const second = [{ max: 2, lengthMs: 300 }]
  const limits = stage.open()
  for (const _ of second.concat(second)) {
    const lease = await limits.budget.acquire('key', second)
    lease.sent()
    lease.done()
  }
  limits.close()
  // The machine had run for years then, and the service had asked for a pause.
  change(
    stage,
    "UPDATE permits SET counted_by = counted_by + 8e14; INSERT INTO pauses VALUES ('key', 8e14, 9e14)",
  )
  const openedAt = machineMs()
  const lease = await stage.open().budget.acquire('key', second)
  expect(machineMs() - openedAt).toBeGreaterThan(300)
  lease.cancel()
})

it('the locks of targets are removed by the next one that is alone', async () => {
  const stage = createLimitsStage()
  const targets = (): number => readdirSync(join(stage.dataDir, 'limits', 'targets')).length
  const [one, two] = [stage.open(), stage.open()]
  ;(await one.targetLocks.acquire('web-01'))()
  one.close()
  const three = stage.open()
  expect(targets()).toBe(1)
  two.close()
  three.close()
  stage.open()
  expect(targets()).toBe(0)
})

it.each([1, 3, 'all'] as const)('a damaged file (page %s) is replaced, with a warning', async (page) => {
  const stage = createLimitsStage()
  await useUp(stage)
  overwrite(fileOf(stage), page)
  const limits = stage.open()
  expect(stage.warnings).toEqual([
    expect.stringMatching(/limits\.db was damaged and was replaced .*past day/),
  ])
  expect(existsSync(`${fileOf(stage)}.damaged`)).toBe(true)
  ;(await limits.budget.acquire('key', day)).cancel()
})

it('a damaged file in use is refused: a second one would be a second budget', async () => {
  const stage = createLimitsStage()
  await useUp(stage)
  const user = stage.open()
  overwrite(fileOf(stage), 'all')
  expect(() => stage.open()).toThrow(unusable(/is damaged .* once no process uses this data directory/))
  expect(stage.warnings).toEqual([])
  user.close()
})

it('a file that is damaged while it is used gives no more places', async () => {
  const stage = createLimitsStage()
  const limits = stage.open()
  change(stage, 'PRAGMA wal_checkpoint(TRUNCATE)')
  overwrite(fileOf(stage), 'all')
  await expect(limits.budget.acquire('key', day)).rejects.toEqual(unusable(/is damaged/))
})

it('a file that stays locked is an error; one that is locked for a shorter time is waited for', async () => {
  const stage = createLimitsStage()
  const [patient, hasty] = [stage.open(), stage.open({ maxWaitMs: 30 })]
  const other = new DatabaseSync(fileOf(stage))
  other.exec('BEGIN IMMEDIATE')
  const place = patient.budget.acquire('key', day)
  await expect(hasty.budget.acquire('key', day)).rejects.toEqual(unusable(/keeps it locked/))
  other.close()
  ;(await place).cancel()
  ;(await hasty.budget.acquire('key', day)).cancel()
})

it('a full disk is an error, and what was noted meanwhile is not lost', async () => {
  const stage = createLimitsStage()
  const limits = stage.open()
  const lease = await limits.budget.acquire('key', day)
  const other = new DatabaseSync(fileOf(stage))
  // Whatever is written next does not succeed.
  other.exec("CREATE TRIGGER full BEFORE INSERT ON permits BEGIN SELECT raise(ABORT, 'disk full'); END")
  await expect(limits.budget.acquire('other', day)).rejects.toEqual(unusable(/disk full/))
  lease.cancel()
  await expect(limits.budget.acquire('other', day)).rejects.toEqual(unusable(/disk full/))
  other.exec('DROP TRIGGER full')
  other.close()
  ;(await limits.budget.acquire('key', day, { maxWaitMs: 0 })).cancel()
})

it('a file of another version is refused and left as it is', async () => {
  const stage = createLimitsStage()
  await useUp(stage)
  change(stage, 'PRAGMA user_version = 99')
  expect(() => stage.open()).toThrow(unusable(/another version of Opsbook/))
})

it('a folder that cannot be made is an error that names it', () => {
  expect(() => createSharedLimits('/dev/null/data')).toThrow(unusable(/\/dev\/null\/data/))
})

it('calls after the end are refused', async () => {
  const limits = createLimitsStage().open()
  limits.close()
  limits.close()
  await expect(limits.budget.acquire('key', day)).rejects.toEqual(unusable(/was closed/))
  await expect(limits.targetLocks.acquire('key')).rejects.toEqual(unusable(/was closed/))
})
