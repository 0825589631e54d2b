import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/engine/embedded/database/database.ts'
import { newFolder } from './support/opsbook.ts'
import { startService } from './support/service.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const tsx = import.meta.resolve('tsx')
const full = '/dev/full'
const cannot = existsSync(full) ? '' : ' (skipped: this system has no /dev/full)'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command line in a process of its own, one or both of whose streams end at a device that is full. */
async function opsbook(
  words: readonly string[],
  lost: readonly ('stdout' | 'stderr')[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const device = openSync(full, 'w')
  const said = { stdout: '', stderr: '' }
  const child = spawn(process.execPath, ['--import', tsx, main, ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
    stdio: ['ignore', lost.includes('stdout') ? device : 'pipe', lost.includes('stderr') ? device : 'pipe'],
  })
  closeSync(device)
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk) => {
      said[name] += String(chunk)
    })
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, ...said }
}

const create = (id: string): string => `
  - id: ${id}
    uses: rum/application/create
    with: { application_name: ${id}, type: browser, team_id: 1 }`
const ids = ['one', 'two', 'three']
const runbook = `apiVersion: opsbook/v1\nname: creates\nsteps:${ids.map(create).join('')}\n`

/** What the journal says about the only run. */
function journalOf(folder: string): unknown {
  const database = openDatabase(join(folder, 'data'))
  try {
    const [run, ...others] = database.prepare('SELECT status FROM runs').all()
    const steps = database.prepare('SELECT path, status FROM steps ORDER BY position').all()
    const attempts = database.prepare('SELECT path FROM attempts WHERE output IS NOT NULL').all()
    return { status: run?.['status'], others, steps, answered: attempts.length }
  } finally {
    database.close()
  }
}

const whole = {
  status: 'succeeded',
  others: [],
  steps: ids.map((path) => ({ path, status: 'succeeded' })),
  answered: ids.length,
}

const runs: readonly (readonly [format: string, lost: readonly ('stdout' | 'stderr')[]])[] = [
  ['ndjson', ['stdout']],
  ['json', ['stderr']],
  ['text', ['stdout', 'stderr']],
]

test.skipIf(cannot)(
  `a run goes on to its end when nobody can read about it${cannot}`,
  async () => {
    for (const [format, lost] of runs) {
      const service = await startService()
      const folder = await newFolder({ 'creates.yaml': runbook })
      const words = ['run', 'creates.yaml', '--data-dir', 'data', '--output', format]
      const { code, stdout, stderr } = await opsbook(words, lost, folder, service.env())
      expect(code, stdout + stderr).toBe(5)
      expect((await service.calls()).filter((operation) => operation === 'E2')).toHaveLength(ids.length)
      expect(journalOf(folder)).toEqual(whole)
      if (!lost.includes('stderr'))
        expect(stderr.match(/the output cannot be written: ENOSPC/g)).toHaveLength(1)
      // The answer is whole and nothing but the answer.
      if (!lost.includes('stdout')) expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded' })
    }
  },
  120_000,
)

test.skipIf(cannot)(
  `worse news than lost output keeps its exit code${cannot}`,
  async () => {
    const folder = await newFolder({ 'wrong.yaml': 'apiVersion: opsbook/v1\nname: wrong\n' })
    expect(await opsbook(['run', 'wrong.yaml', '--sandbox'], ['stderr'], folder)).toMatchObject({ code: 2 })
    expect(await opsbook(['validate', 'wrong.yaml'], ['stdout'], folder)).toMatchObject({ code: 2 })
  },
  60_000,
)

test.skipIf(cannot)(
  `a lost answer is told without a stack trace${cannot}`,
  async () => {
    const folder = await newFolder()
    for (const words of [['--version'], ['--help'], ['actions']]) {
      const { code, stderr } = await opsbook(words, ['stdout'], folder)
      expect({ code, stderr }).toEqual({
        code: 5,
        stderr: 'error: the output cannot be written: ENOSPC: no space left on device, write\n',
      })
    }
  },
  60_000,
)

const noLimit = process.platform === 'win32' ? ' (skipped: this system has no ulimit)' : ''

test.skipIf(noLimit)(
  `a file that takes only the beginning of an answer is noticed${noLimit}`,
  async () => {
    const folder = await newFolder()
    const command = 'ulimit -f 1; exec "$0" --import "$1" "$2" actions --output json > answer.json'
    const child = spawn('sh', ['-c', command, process.execPath, tsx, main], {
      cwd: folder,
      // What tsx keeps of its own would meet the same limit.
      env: { PATH: process.env['PATH'], HOME: folder, TSX_DISABLE_CACHE: '1' },
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk)
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('EFBIG') })
    expect(readFileSync(join(folder, 'answer.json')).length).toBeGreaterThan(0)
  },
  30_000,
)
