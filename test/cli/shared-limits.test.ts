import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSharedLimits } from 'opsbook'
import { expect, onTestFinished, test } from 'vitest'
import { isLocked } from '../../src/engine/file-lock/index.ts'
import { newFolder, opsbook } from './support/opsbook.ts'
import { type Service, startService } from './support/service.ts'

const runbook = `apiVersion: opsbook/v1
name: look
steps:
  - { id: tools, uses: monit/tools/invoke, with: { target_locator: web-01, tools: [{ tool: os.overview }] } }
`
const call = [
  'call',
  'monit/tools/invoke',
  '-i',
  'target_locator=web-01',
  '-i',
  'tools=[{tool: os.overview}]',
]

interface Project {
  readonly service: Service
  readonly folder: string
  readonly dataDir: string
  readonly env: Record<string, string>
}

async function project(): Promise<Project> {
  const service = await startService()
  const configuration = `data-dir: data
connections:
  default: { base-url: "${service.url}", app-key: env:ACME_KEY, account: acme }
`
  const folder = await newFolder({ 'look.yaml': runbook, 'opsbook.yaml': configuration })
  return { service, folder, dataDir: join(folder, 'data'), env: { ACME_KEY: 'sandbox-owner' } }
}

/** The target that both commands want, held by somebody else on the data directory. */
async function holdTarget(dataDir: string): Promise<() => void> {
  const limits = createSharedLimits(dataDir)
  onTestFinished(() => limits.close())
  return limits.targetLocks.acquire(JSON.stringify(['monit/tools/invoke', 'acme', 'web-01']))
}

test('a run waits for a target that another process on the data directory has', async () => {
  const { folder, dataDir, env } = await project()
  const release = await holdTarget(dataDir)
  const onWrite = (text: string): void => {
    if (text.includes('waits for the target')) release()
  }
  const { code, stderr } = await opsbook(['run', 'look.yaml'], { folder, env, onWrite })
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('waits for the target')
})

test('a run that waits for a target stops when it is told to', async () => {
  const { service, folder, dataDir, env } = await project()
  await holdTarget(dataDir)
  const { code, stdout } = await opsbook(['run', 'look.yaml'], {
    folder,
    env,
    onWrite: (text, command) => {
      if (text.includes('waits for the target')) command.signal('SIGINT')
    },
  })
  expect(code, stdout).toBe(130)
  expect(await service.calls()).toEqual([])
})

test('a single call shares the limits of a data directory that is there, and makes none', async () => {
  const { service, folder, dataDir, env } = await project()
  expect(await opsbook(call, { folder, env })).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(dataDir)).toBe(false)
  const release = await holdTarget(dataDir)
  const waited = 'waits for the target\n'
  const onWrite = (text: string): void => {
    if (text === waited) release()
  }
  expect(await opsbook(call, { folder, env, onWrite })).toMatchObject({ code: 0, stderr: waited })
  expect(await service.calls()).toHaveLength(2)
})

test('its own sandbox has no limits to share', async () => {
  const { folder, dataDir } = await project()
  expect(await opsbook(['run', 'look.yaml', '--sandbox'], { folder })).toMatchObject({ code: 0 })
  expect(existsSync(join(dataDir, 'opsbook.db'))).toBe(true)
  expect(existsSync(join(dataDir, 'limits.db'))).toBe(false)
})

test('limits that cannot be used end a run before anything is sent; a call goes on and says so', async () => {
  const { service, folder, dataDir, env } = await project()
  // A folder in the place of the file.
  await mkdir(join(dataDir, 'limits.db'), { recursive: true })
  const run = await opsbook(['run', 'look.yaml'], { folder, env })
  expect(run.code).toBe(5)
  expect(run.stderr).toMatch(/DataDirUnusable: cannot use \S+limits\.db: .+\n {2}next {8}Check free space/)
  expect(await service.calls()).toEqual([])
  const single = await opsbook(call, { folder, env })
  expect(single.code).toBe(0)
  expect(single.stderr).toMatch(/^warning: the rate limits are not shared .* cannot use \S+limits\.db/)
})

test('a damaged file of limits is made anew, and the run says so', async () => {
  const { folder, dataDir, env } = await project()
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'limits.db'), Buffer.alloc(8192))
  const { code, stderr } = await opsbook(['run', 'look.yaml'], { folder, env })
  expect(code, stderr).toBe(0)
  expect(stderr).toMatch(/warning: \S+limits\.db was damaged and was replaced/)
})

test('a run that cannot open its views closes the limits that it has opened', async () => {
  const { folder, dataDir, env } = await project()
  const { code, stderr } = await opsbook(['run', 'look.yaml'], {
    folder,
    env: { ...env, OPSBOOK_LOG_LEVEL: 'loud' },
  })
  expect(code, stderr).toBe(2)
  const files = await readdir(join(dataDir, 'limits'))
  expect(files.filter((name) => name.endsWith('.lock') && isLocked(join(dataDir, 'limits', name)))).toEqual(
    [],
  )
})
