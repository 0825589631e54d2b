/**
 * What it costs to hide secrets. Both sides run in turns, and medians are compared. Each ratio is 2 at most:
 *
 * - log lines with 20,000 known values against 20;
 * - log lines with a secret of 64 KiB against one of 64 characters;
 * - the second 10,000 values to learn against the first;
 * - the search of an answer of 800 KB against 10 calls of JSON.parse;
 * - the search of 1 MB of each hostile text against the same, with 20 values known and with 20,000;
 * - `opsbook logs` of a run with 1,000 creates against the same with `--reveal`.
 *
 *     npm run build && npx tsx bench/mask.ts
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createActions } from '../src/actions/index.ts'
import { createClient } from '../src/api/index.ts'
import { createMask, type Mask } from '../src/core/mask/mask.ts'
import { startRun } from '../src/engine/embedded/index.ts'
import { checkInputs, loadRunbook } from '../src/load/index.ts'
import { startSandbox } from '../src/sandbox/index.ts'
import { verdict } from './verdict.ts'

const rounds = 7
const limit = 2
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

const lines = Array.from({ length: 5000 }, (_, at) =>
  JSON.stringify({
    level: 'info',
    time: '2026-11-22T07:22:04.123Z',
    run: 'run_20261122_072204_abcdef',
    path: `apps[${at}]`,
    msg: `attempt ${at} succeeded: application app_${at} of team 1 is there, and nothing else is new`,
  }),
)
const answer = JSON.stringify(
  Array.from({ length: 4000 }, (_, at) => ({
    rule_id: `rule_${at}`,
    rule_name: `Ignore what browser ${at} reports`,
    filters: [{ key: 'error.message', operator: 'contains', values: [`reason ${at * 7919}`] }],
    status: 'enabled',
    created_at: 1_767_225_600_000 + at,
  })),
)

const value = (at: number): string => `value-${at}-${Math.imul(at, 0x9e3779b1) >>> 0}-sensitive`
const values = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, at) => value(from + at))

function milliseconds(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

/** Both in turns, the first round to warm up. */
function compare(name: string, own: () => number, peer: () => number): void {
  const pairs = Array.from({ length: rounds + 1 }, () => [own(), peer()] as const).slice(1)
  const [first, second] = [median(pairs.map(([one]) => one)), median(pairs.map(([, other]) => other))]
  const ratio = median(pairs.map(([one, other]) => one / other))
  console.log(`${name}: ${first.toFixed(1)} ms against ${second.toFixed(1)} ms`)
  verdict(name, ratio, limit)
}

const readLines = (mask: Mask) => (): number =>
  milliseconds(() => {
    for (const line of lines) mask.text(line)
  })

function compareKnown(): void {
  const long = Array.from({ length: 8192 }, (_, at) => String(at).padStart(8, '-')).join('')
  const known = (secrets: readonly string[]): (() => number) => readLines(createMask([...secrets, value(-1)]))
  compare('20,000 values known against 20', known(values(0, 20_000)), known(values(0, 20)))
  compare('a secret of 64 KiB against one of 64 characters', known([long]), known([long.slice(0, 64)]))
}

function compareLearning(): void {
  let mask = createMask()
  const learn = (secrets: readonly string[]) => (): number =>
    milliseconds(() => {
      for (const secret of secrets) mask.hide(secret)
    })
  const [first, second] = [learn(values(0, 10_000)), learn(values(10_000, 20_000))]
  let firstMs = 0
  const both = (): number => {
    mask = createMask()
    firstMs = first()
    return second()
  }
  compare('the second 10,000 values against the first', both, () => firstMs)
}

function compareAnswer(): void {
  const mask = createMask(values(0, 20))
  const parse = (): number => milliseconds(() => JSON.parse(answer))
  compare(
    `an answer of ${answer.length} characters against 10 parses`,
    () => milliseconds(() => mask.isInJson(answer)),
    () => Array.from({ length: 10 }, parse).reduce((sum, one) => sum + one, 0),
  )
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** What a stranger can write so that a search takes long: each is repeated to 1 MB. */
const hostile: Readonly<Record<string, string>> = {
  'escapes in escapes': '%252525+&amp;amp;\\\\\\\\',
  'digits between escapes': `${'3'.repeat(120)}%25&amp;\\\\+\n%41`,
  'escapes without an end': '%3&#1\\u00\\x',
  'threefold base64': `${base64(base64(base64('some text of a stranger '.repeat(6))))},`,
  'one letter that is base64 at each place': 'V',
  digits: '3',
  'hex with colons': '33:',
  'what secrets begin with': 'value-',
  blanks: '+ ',
}

function compareHostile(): void {
  const parse = (): number => milliseconds(() => JSON.parse(answer))
  for (const count of [20, 20_000]) {
    const mask = createMask(values(0, count))
    for (const [name, piece] of Object.entries(hostile)) {
      const text = piece.repeat(Math.ceil(1e6 / piece.length)).slice(0, 1e6)
      compare(
        `${name}, with ${count} values known, against 10 parses`,
        () => milliseconds(() => mask.text(text)),
        () => Array.from({ length: 10 }, parse).reduce((sum, one) => sum + one, 0),
      )
    }
  }
}

const runbook = `apiVersion: opsbook/v1
name: fleet
steps:
  - id: apps
    for-each: { items: "\${{ inputs.names }}", as: name, max-parallel: 8 }
    steps:
      - id: app
        uses: rum/application/create
        with: { application_name: "\${{ name }}", type: browser, team_id: 1 }
        outputs: { tok: "\${{ outputs.client_token }}" }
      - { id: say, uses: core/log, with: { message: "token \${{ steps.app.outputs.tok }}" } }
inputs: { type: object, required: [names], properties: { names: { type: array, items: { type: string } } } }
`

async function compareLogs(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'opsbook-bench-'))
  const sandbox = await startSandbox({ limits: false })
  const client = createClient({
    baseUrl: sandbox.url,
    appKey: 'sandbox-owner',
    limits: 'off',
    proxy: 'none',
  })
  try {
    const actions = createActions()
    const { plan, diagnostics } = loadRunbook(runbook, actions)
    if (!plan) throw new Error(JSON.stringify(diagnostics))
    const inputs = { names: Array.from({ length: 1000 }, (_, at) => `app-${at}`) }
    const { result } = await startRun({ plan, inputs, actions, connect: () => client, checkInputs, dataDir })
    const { status, error } = await result
    if (status !== 'succeeded') throw new Error(JSON.stringify(error))
    const logs = (...words: readonly string[]): number =>
      milliseconds(() =>
        execFileSync(process.execPath, [main, 'logs', 'latest', '--data-dir', dataDir, ...words], {
          maxBuffer: 2 ** 28,
        }),
      )
    compare('logs of 1,000 creates against --reveal', logs, () => logs('--reveal'))
  } finally {
    await client.close()
    await sandbox.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

compareKnown()
compareLearning()
compareAnswer()
compareHostile()
await compareLogs()
