/**
 * Cold start of the command against an empty Node process, measured in the same run: `--version` may take 2.5 times
 * as long, `validate` on one file 5 times.
 *
 *     npm run build && npx tsx bench/cold-start.ts
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { verdict } from './verdict.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const main = 'dist/cli/main.js'
const rounds = Number(process.argv[2] ?? 15)

const commands = {
  node: ['-e', '0'],
  version: [main, '--version'],
  validate: [main, 'validate', 'runbooks/incident-to-post-mortem.yaml'],
} as const

const limits = [
  { name: 'version', limit: 2.5 },
  { name: 'validate', limit: 5 },
] as const

if (!existsSync(`${root}${main}`)) throw new Error('run "npm run build" first')

// One after the other in every round, so that a busy machine slows all of them alike; the first round warms up.
const times: Record<keyof typeof commands, number[]> = { node: [], version: [], validate: [] }
for (let round = 0; round <= rounds; round++) {
  for (const [name, args] of Object.entries(commands) as [keyof typeof commands, readonly string[]][]) {
    const milliseconds = time(args)
    if (round > 0) times[name].push(milliseconds)
  }
}

const base = median(times.node)
console.log(`node -e 0: ${base.toFixed(0)} ms (median of ${rounds})`)
for (const { name, limit } of limits) {
  const taken = median(times[name])
  const ratio = taken / base
  console.log(`opsbook ${name}: ${taken.toFixed(0)} ms`)
  verdict(name, ratio, limit)
}

function time(args: readonly string[]): number {
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - startedAt
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
