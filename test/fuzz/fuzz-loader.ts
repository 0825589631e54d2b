/**
 * Loads mutated runbooks and hostile files, and reports what went wrong: an exception, a result that is neither a plan
 * nor a finding. The seed of each mutation is its number, so every one can be had again:
 *
 *     npx tsx test/fuzz/fuzz-loader.ts COUNT [FIRST]
 */
import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { createActions } from '../../src/actions/index.ts'
import { type KnownConnections, loadRunbook } from '../../src/load/index.ts'
import { type LoadCase, runbookOf } from '../load/load-case.ts'
import { hostile } from './hostile.ts'
import { mutateBytes, mutateText, mutateTree } from './mutations.ts'
import { createRandom } from './random.ts'
import { ticketActions } from './ticket-actions.ts'

/** What a round of fuzzing came to. */
export interface FuzzReport {
  readonly first: number
  readonly count: number
  readonly failures: readonly string[]
  readonly plans: number
}

/** Commands are loaded here, and never run. */
const actions = createActions(await ticketActions(), { commands: { local: true, ssh: ['*.prod.example'] } })
const types = { production: 'service', github: 'http', chat: 'http' } as const
/** What a project can know of its connections. */
const known: readonly (KnownConnections | undefined)[] = [
  undefined,
  { types },
  { types: {}, notComplete: 'there is no opsbook.yaml', hasNoFile: true },
]
const corpus = readCorpus()
const trees = corpus.map((text) => parseOrNothing(text)).filter((tree) => typeof tree === 'object')

const failures: string[] = []
let plans = 0

function readCorpus(): readonly string[] {
  const runbooks = new URL('../../runbooks/', import.meta.url)
  const shipped = readdirSync(runbooks)
    .filter((file) => !file.endsWith('.test.yaml'))
    .map((file) => readFileSync(new URL(file, runbooks), 'utf8'))
  const folder = new URL('../cases/load/', import.meta.url)
  const cases = readdirSync(folder).flatMap(
    (file) => parse(readFileSync(new URL(file, folder), 'utf8')) as readonly LoadCase[],
  )
  const everyKey = readFileSync(new URL('../load/editor-schema/every-key.yaml', import.meta.url), 'utf8')
  // The shipped runbooks are few, and more like what people write.
  return [everyKey, ...shipped, ...shipped, ...shipped, ...cases.map(runbookOf)].filter(
    (text) => text.length > 0,
  )
}

function parseOrNothing(text: string): unknown {
  try {
    const tree: unknown = parse(text, { logLevel: 'silent' })
    // An alias inside the value that it repeats makes a tree without an end.
    JSON.stringify(tree)
    return tree
  } catch {
    return undefined
  }
}

function check(name: string, input: string | Uint8Array, number = 0): void {
  try {
    const connections = known[number % known.length]
    const { plan, diagnostics } = loadRunbook(input, actions, {
      readRunbook: (path) => corpus[path.length % corpus.length],
      ...(connections === undefined ? {} : { connections, hooks: { ci: {} } }),
    })
    const hasErrors = diagnostics.some(({ severity }) => severity === 'error')
    if (plan === undefined && !hasErrors) failures.push(`${name}: neither a plan nor an error`)
    if (plan !== undefined && hasErrors) failures.push(`${name}: a plan in spite of errors`)
    if (plan) {
      plans++
      JSON.stringify(plan)
    }
  } catch (error) {
    failures.push(`${name}: ${(error as Error).stack ?? String(error)}`)
  }
}

function fuzz(first: number, count: number): FuzzReport {
  for (const [name, input] of Object.entries(hostile)) check(name, input)
  for (let seed = first; seed < first + count; seed++) {
    const random = createRandom(seed)
    const text = random.pick(corpus)
    const kind = random.below(10)
    const input =
      kind < 5
        ? mutateText(text, random.pick(corpus), random)
        : kind < 6
          ? mutateBytes(text, random)
          : mutateTree(random.pick(trees), random)
    check(`seed ${seed}`, input, seed)
  }
  return { first, count, failures, plans }
}

const [count = '2000', first = '1'] = process.argv.slice(2)
process.stdout.write(`${JSON.stringify(fuzz(Number(first), Number(count)), null, 2)}\n`)
