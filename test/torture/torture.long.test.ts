import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requireBuild } from '../cli/support/process.ts'
import { retryStart } from '../support/retry-start.ts'
import { kindOfSeed, playRound, roundKinds } from './round.ts'
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.ts'

/** One round of each kind, whose kills still fall as they fall; `npm run torture` plays hundreds of others. */
const first = Number(process.env['OPSBOOK_TORTURE_SEED'] ?? 9000)
const rounds = roundKinds.map((_, index) => first + index).map((seed) => ({ seed, kind: kindOfSeed(seed) }))

let folder: string
let sandbox: SandboxProcess
beforeAll(async () => {
  requireBuild()
  folder = mkdtempSync(join(tmpdir(), 'opsbook-torture-sandbox-'))
  sandbox = await retryStart(() => startSandboxProcess(join(folder, 'state.json')))
}, 300_000)
afterAll(async () => {
  await sandbox.close()
  rmSync(folder, { recursive: true })
})

it.each(rounds)(
  'nothing is lost, done twice or stuck: $kind with seed $seed',
  { timeout: 300_000 },
  async ({ seed }) => {
    const { complaints, story } = await playRound(sandbox, seed)
    expect(complaints, story.join('\n')).toEqual([])
  },
)
