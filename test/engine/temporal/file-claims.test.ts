import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimFile, openCallArtifacts } from '../../../src/engine/temporal/worker/file-claims.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'opsbook-claims-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

it('gives a file to one of many concurrent calls, and names it to the others', async () => {
  const calls = Array.from({ length: 40 }, (_, n) =>
    openCallArtifacts(dataDir, { runId: 'many' }, `step-${n}`),
  )
  const asked = await Promise.allSettled(calls.map((call) => call.fileFor('report.json')))
  const winner = asked.findIndex(({ status }) => status === 'fulfilled')
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [String(one.reason.message)] : []))
  expect(refused).toHaveLength(39)
  for (const message of refused) expect(message).toContain(`is the file of step-${winner};`)
  const claim = claimFile(dataDir, { runId: 'many' }, 'report.json')
  expect((await readdir(dirname(claim))).toSorted()).toEqual([basename(claim), 'namespace'].toSorted())
})

it('leaves a name free as soon as its call has ended without a file', async () => {
  const next = { runId: 'next' }
  const first = openCallArtifacts(dataDir, next, 'first')
  await first.fileFor('report.json')
  first.release()
  const second = openCallArtifacts(dataDir, next, 'second')
  await second.fileFor('report.json')
  first.release()
  const third = openCallArtifacts(dataDir, next, 'third')
  await expect(third.fileFor('report.json')).rejects.toThrow('is the file of second')
})
