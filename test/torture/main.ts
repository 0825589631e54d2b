// `npm run torture -- --rounds 200 --seed 7`: runs whose processes are killed at bad moments while others answer, cancel,
// pause and decide, and whose journals are held against the record of the sandbox. `--engine temporal` kills workers and
// the server instead. `--kind cancels` plays rounds of one kind only. Ends with 1 when something was lost, done twice,
// or got stuck.
import { parseArgs } from 'node:util'
import { torturedEngines } from './open-rounds.ts'
import type { RoundResult } from './rounds/round-result.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'embedded' },
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kind: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const seed = Number(values.seed)
const { kind } = values
const engine = torturedEngines[values.engine]
if (!engine) throw new Error(`--engine is one of ${Object.keys(torturedEngines).join(', ')}`)
const { kinds, kindOfSeed, open } = engine
if (kind !== undefined && !kinds.includes(kind)) throw new Error(`--kind is one of ${kinds.join(', ')}`)
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

// What it has started ends with it.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

say(`${rounds} rounds with seed ${seed}`)
const results = await playRounds()
const bad = results.filter(({ complaints }) => complaints.length > 0)
const struck = results.reduce((sum, result) => sum + result.struck, 0)
const ends = results.flatMap(({ statuses }) => statuses)
const statuses = tally(ends.map((status) => [status, 1]))
const counts = tally(results.flatMap((result) => Object.entries(result.counts ?? {})))
say(
  `${results.length} rounds, ${struck} processes ended before their time: ${statuses}; ${bad.length} rounds with complaints`,
)
if (counts !== '') say(counts)
if (bad.length > 0) {
  say(`again: npm run torture -- --engine ${values.engine} --rounds 1 --verbose --seed SEED --kind KIND`)
  process.exitCode = 1
}

async function playRounds(): Promise<readonly RoundResult[]> {
  const opened = await open()
  const played: RoundResult[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      // Any round can be played again alone, as the first one of its own seed.
      const result = await opened.play(seed + round, kind)
      played.push(result)
      if (result.complaints.length > 0 || values.verbose) tell(seed + round, result)
      else process.stderr.write('.')
    }
  } finally {
    process.stderr.write('\n')
    await opened.close()
  }
  return played
}

function tell(of: number, { statuses, story, complaints }: RoundResult): void {
  say(`${kind ?? kindOfSeed(of)} with seed ${of}: ${statuses.join(', ')}`)
  for (const line of [...story, ...complaints.map((complaint) => `✖ ${complaint}`)]) say(`  ${line}`)
}

/** Such as `17 succeeded, 3 unknown`. */
function tally(entries: readonly (readonly [string, number])[]): string {
  const sums = new Map<string, number>()
  for (const [name, count] of entries) sums.set(name, (sums.get(name) ?? 0) + count)
  return [...sums].map(([name, sum]) => `${sum} ${name}`).join(', ')
}
