/**
 * The loader against its peers, measured in the same run: `opsbook validate` on 1,000 small files may take 0.6 times as
 * long as `redocly lint` on 1,000 small OpenAPI files, and loading a runbook of 500 steps 5 times as long as the YAML
 * library alone. The slowest of the hostile files may take 3 times as long as the YAML library for the largest file.
 *
 *     npm run build && npx tsx bench/load.ts
 *
 * npm puts the peer into a temporary folder, so that it is no dependency of ours.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { hostile } from '../test/fuzz/hostile.ts'
import { verdict } from './verdict.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const main = join(root, 'dist/cli/main.js')
/** One version, so that ratios of different days can be compared. */
const peer = '@redocly/cli@1.34.20'
const files = 1000
const rounds = Number(process.argv[2] ?? 5)

if (!existsSync(main)) throw new Error('run "npm run build" first')

function smallRunbook(n: number): string {
  return `apiVersion: opsbook/v1
name: check_${n}
title: Look at host ${n}
inputs:
  type: object
  required: [host]
  properties: { host: { type: string, maxLength: 256 }, count: { type: integer, default: ${n % 7} } }
steps:
  - id: tools
    uses: monit/tools/catalog
    with: { target_locator: "\${{ inputs.host }}" }
  - id: overview
    if: \${{ size(steps.tools.outputs.tools) > ${n % 5} }}
    uses: monit/tools/invoke
    with: { target_locator: "\${{ inputs.host }}", tools: [{ tool: os.overview }] }
    retry: { attempts: 3, delay: 1s }
outputs: { failed: "\${{ default(steps.overview.outputs.failed, 0) }}" }
`
}

function smallApi(n: number): string {
  return `openapi: 3.1.0
info: { title: Service ${n}, version: 1.0.0, license: { name: MIT, url: https://example.com/license } }
servers: [{ url: https://service${n}.example.com }]
security: []
paths:
  /hosts/{host}:
    get:
      operationId: host_${n}
      summary: A host
      parameters:
        - { name: host, in: path, required: true, schema: { type: string, maxLength: 256 } }
      responses:
        '200':
          description: The host
          content: { application/json: { schema: { type: object, properties: { name: { type: string } } } } }
        '404': { description: No such host }
`
}

function largeRunbook(): string {
  const steps = Array.from({ length: 500 }, (_, n) => {
    const before = n === 0 ? '' : `    if: \${{ size(default(steps.s${n - 1}.outputs.tools, [])) > ${n} }}\n`
    const input = `    with: { target_locator: "\${{ inputs.host }}" }\n`
    return `  - id: s${n}\n    name: Step ${n}\n${before}    uses: monit/tools/catalog\n${input}`
  })
  const inputs = 'inputs: { type: object, required: [host], properties: { host: { type: string } } }\n'
  return `apiVersion: opsbook/v1\nname: large\n${inputs}steps:\n${steps.join('')}`
}

/** Runs a program to its end and answers how long that took, in milliseconds. */
function time(program: string, args: readonly string[], cwd: string): number {
  const startedAt = performance.now()
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${(stderr || stdout).slice(-2000)}`)
  return performance.now() - startedAt
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The median of the ratios of pairs that were measured right after one another, on a machine as busy for both. */
function report(
  name: string,
  pairs: readonly (readonly [ours: number, theirs: number])[],
  limit: number,
): void {
  const ratio = median(pairs.map(([ours, theirs]) => ours / theirs))
  const [ours, theirs] = [0, 1].map((side) => median(pairs.map((pair) => pair[side] as number)).toFixed(0))
  console.log(`${name}: ${ours} ms against ${theirs} ms (medians of ${pairs.length})`)
  verdict(name, ratio, limit)
}

async function smallFiles(folder: string): Promise<void> {
  const [runbooks, apis] = [join(folder, 'runbooks'), join(folder, 'apis')]
  for (const made of [runbooks, apis]) await mkdir(made)
  for (let n = 0; n < files; n++) {
    await writeFile(join(runbooks, `r${n}.yaml`), smallRunbook(n))
    await writeFile(join(apis, `a${n}.yaml`), smallApi(n))
  }
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  time('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', peer], folder)
  const redocly = join(folder, 'node_modules/@redocly/cli/bin/cli.js')
  const apiFiles = Array.from({ length: files }, (_, n) => `apis/a${n}.yaml`)
  const lint = [redocly, 'lint', ...apiFiles, '--extends=minimal', '--format=json']
  const pairs = Array.from({ length: rounds + 1 }, () => {
    const ours = time(process.execPath, [main, 'validate', 'runbooks'], folder)
    return [ours, time(process.execPath, lint, folder)] as const
  })
  // The first round warms the disk up.
  report(`opsbook validate / redocly lint, ${files} files`, pairs.slice(1), 0.6)
}

async function largeFile(): Promise<void> {
  const { createActions, loadRunbook } = (await import(
    join(root, 'dist/index.js')
  )) as typeof import('../src/index.ts')
  const actions = createActions()
  const text = largeRunbook()
  const pairs = Array.from({ length: 30 }, () => {
    const startedAt = performance.now()
    const { plan, diagnostics } = loadRunbook(text, actions)
    const loadedAt = performance.now()
    parse(text)
    if (!plan || diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics[0]))
    return [loadedAt - startedAt, performance.now() - loadedAt] as const
  })
  report('load and plan / yaml alone, 500 steps', pairs.slice(10), 5)
}

/** The files that are made to break a reader, each against the largest file that is allowed. */
async function hostileFiles(): Promise<void> {
  const { createActions, loadRunbook } = (await import(
    join(root, 'dist/index.js')
  )) as typeof import('../src/index.ts')
  const actions = createActions()
  const largest = `a: [${'1,'.repeat(130_000)}1]`
  const pairsOf = (file: string | Uint8Array): readonly (readonly [number, number])[] =>
    Array.from({ length: 3 }, () => {
      const startedAt = performance.now()
      loadRunbook(file, actions)
      const loadedAt = performance.now()
      parse(largest)
      return [loadedAt - startedAt, performance.now() - loadedAt]
    })
  const ratioOf = (pairs: ReturnType<typeof pairsOf>): number =>
    median(pairs.map(([ours, theirs]) => ours / theirs))
  const measured = Object.values(hostile).map(pairsOf)
  const slowest = measured.toSorted((one, other) => ratioOf(other) - ratioOf(one))[0] ?? []
  report('the slowest hostile file / yaml alone, the largest file', slowest, 3)
}

const folder = await mkdtemp(join(tmpdir(), 'opsbook-bench-'))
try {
  await largeFile()
  await hostileFiles()
  await smallFiles(folder)
} finally {
  await rm(folder, { recursive: true, force: true })
}
