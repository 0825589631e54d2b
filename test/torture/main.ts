// `npm run torture -- --rounds 200 --seed 7`: runs whose processes are killed at bad moments while others answer, cancel,
// pause and decide, and whose journals are held against the record of the sandbox. `--kind cancels` plays rounds of one
// kind only. Ends with 1 when something was lost, done twice, or got stuck.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { kindOfSeed, playRound, type RoundKind, roundKinds } from './round.ts'
import type { RoundResult } from './rounds/round-result.ts'
import { startSandboxProcess } from './sandbox-process.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kind: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const seed = Number(values.seed)
const kind = roundKinds.find((one) => one === values.kind)
if (values.kind !== undefined && !kind) throw new Error(`--kind is one of ${roundKinds.join(', ')}`)
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

say(`${rounds} rounds with seed ${seed}`)
const results = await playRounds()
const bad = results.filter(({ complaints }) => complaints.length > 0)
const struck = results.reduce((sum, result) => sum + result.struck, 0)
const statuses = [...new Set(results.map(({ status }) => status))].map(
  (status) => `${results.filter((result) => result.status === status).length} ${status}`,
)
say(
  `${results.length} rounds, ${struck} processes ended before their time: ${statuses.join(', ')}; ${bad.length} rounds with complaints`,
)
if (bad.length > 0) {
  say('again: npm run torture -- --rounds 1 --verbose --seed SEED --kind KIND')
  process.exitCode = 1
}

async function playRounds(): Promise<readonly RoundResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-torture-sandbox-'))
  const sandbox = await startSandboxProcess(join(folder, 'state.json'))
  const played: RoundResult[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      // Any round can be played again alone, as the first one of its own seed.
      const result = await playRound(sandbox, seed + round, kind)
      played.push(result)
      if (result.complaints.length > 0 || values.verbose) tell(seed + round, result)
      else process.stderr.write('.')
    }
  } finally {
    process.stderr.write('\n')
    await sandbox.close()
    rmSync(folder, { recursive: true })
  }
  return played
}

function tell(of: number, { status, story, complaints }: RoundResult): void {
  const played: RoundKind = kind ?? kindOfSeed(of)
  say(`${played} with seed ${of}: ${status}`)
  for (const line of [...story, ...complaints.map((complaint) => `✖ ${complaint}`)]) say(`  ${line}`)
}
