import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunScope } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { startService } from '../cli/support/service.ts'
import { startChild } from '../engine/embedded/support/child.ts'
import { startServing } from './support/serve-in-process.ts'

const runbook = `apiVersion: opsbook/v1
name: pending
steps:
  - { id: pause, uses: core/wait, with: { for: 1h } }
  - id: app
    uses: rum/application/create
    with: { application_name: shop, type: browser, team_id: 1 }
`

const newProject = (configuration?: string): Promise<string> =>
  newFolder({
    ...(configuration === undefined ? {} : { 'opsbook.yaml': configuration }),
    'runbooks/pending.yaml': runbook,
  })

const connections = (url: string): string =>
  `connections: { staging: { base-url: "${url}", app-key: env:STAGING_KEY } }\n`

/** Two services, a project, and what a command needs to work in its data directory. */
async function newStage() {
  const [service, other] = [await startService(), await startService()]
  const folder = await newProject(connections(service.url))
  const dataDir = join(folder, 'data')
  const env = { OPSBOOK_DATA_DIR: dataDir, STAGING_KEY: 'sandbox-owner' }
  return { service, other, folder, env }
}

type Stage = Awaited<ReturnType<typeof newStage>>

/** A run that the first serve has left behind: while it waits, or before it was begun. */
async function leaveRun({ folder, env }: Stage, words: readonly string[], isBegun: boolean): Promise<string> {
  const serving = await startServing([...words, '--max-runs', '1'], { folder, env })
  const start = async (): Promise<string> =>
    (await opsbook(['start', 'pending'], { folder, env })).stdout.trim()
  const runId = await start()
  await expect.poll(() => serving.linesOf(runId)).toMatchObject([{ msg: 'run started' }])
  if (isBegun) {
    await serving.stop()
    return runId
  }
  const queued = await start()
  await serving.stop()
  return queued
}

interface Place {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly words?: readonly string[]
}

/** Where another serve is, how the first one was started, and why it leaves the run alone. */
type Elsewhere = readonly [
  name: string,
  first: readonly string[],
  serve: (stage: Stage) => Promise<Place>,
  reason: string,
]

const sandbox = ['--sandbox']
const ended = 'it belongs to a sandbox that has ended; "opsbook resume run_'
const project = 'it belongs to the project '
/** The same project with another configuration. */
const configured =
  (change: (stage: Stage) => string) =>
  async (stage: Stage): Promise<Place> => {
    await writeFile(join(stage.folder, 'opsbook.yaml'), change(stage))
    return stage
  }

const elsewhere: readonly Elsewhere[] = [
  [
    'another project',
    [],
    async ({ service, env }) => ({ folder: await newProject(connections(service.url)), env }),
    project,
  ],
  [
    'a folder without opsbook.yaml',
    [],
    async ({ service, env }) => ({ folder: await newFolder(), env: { ...service.env(), ...env } }),
    project,
  ],
  [
    'a sandbox',
    [],
    async (stage) => ({ ...stage, words: sandbox }),
    'it belongs to the connection "staging", not to this sandbox',
  ],
  ['a service, where it was started with a sandbox', sandbox, async (stage) => stage, ended],
  ['another sandbox', sandbox, async (stage) => ({ ...stage, words: sandbox }), ended],
  [
    'the same connection at another address',
    [],
    configured(({ other }) => connections(other.url)),
    'its connection "staging" was at http://',
  ],
  [
    'another connection',
    [],
    configured(({ other }) => connections(other.url).replace('staging', 'other')),
    'its connection "staging" is not configured here',
  ],
]

describe.each([
  { kind: 'begun', isBegun: true, status: 'interrupted' },
  { kind: 'queued', isBegun: false, status: 'queued' },
])('a run that is $kind', ({ isBegun, status }) => {
  it.each(elsewhere)('is left alone by the serve of %s, which says why', async (_, first, serve, reason) => {
    const stage = await newStage()
    const runId = await leaveRun(stage, first, isBegun)
    const { folder, env, words = [] } = await serve(stage)
    const serving = await startServing(words, { folder, env })
    await expect
      .poll(() => serving.linesOf(runId))
      .toMatchObject([{ msg: 'run left alone', reason: expect.stringContaining(reason) }])
    const { stdout } = await opsbook(['show', runId, '--output', 'json'], { folder, env })
    expect(JSON.parse(stdout)).toMatchObject({ status })
    await serving.stop()
    expect(serving.linesOf(runId)).toHaveLength(1)
  })

  it('is carried on by the next serve of its project and connection', async () => {
    const stage = await newStage()
    const runId = await leaveRun(stage, [], isBegun)
    const serving = await startServing([], stage)
    await expect
      .poll(() => serving.linesOf(runId))
      .toMatchObject([{ msg: isBegun ? 'run resumed' : 'run started' }])
  })
})

it('start refuses a serve of another project, which would leave the run alone', async () => {
  const stage = await newStage()
  await startServing([], stage)
  const folder = await newProject()
  const { code, stderr } = await opsbook(['start', 'pending'], { folder, env: stage.env })
  expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('serves the project ') })
})

describe('a run that a program has started and left behind', () => {
  const leave = async (scope?: RunScope): Promise<readonly [string, Stage]> => {
    const stage = await newStage()
    const dataDir = stage.env.OPSBOOK_DATA_DIR
    await mkdir(dataDir, { recursive: true })
    const text =
      'apiVersion: opsbook/v1\nname: long\nsteps: [{ id: pause, uses: core/wait, with: { for: 1h } }]\n'
    const callsFile = join(stage.folder, 'calls')
    const child = startChild({
      dataDir,
      callsFile,
      text,
      ...(scope ? { scope: { ...scope, project: stage.folder } } : {}),
    })
    const { run_id: runId } = await child.line(({ type }) => type === 'run_started')
    await child.line(({ type }) => type === 'waiting')
    await child.kill()
    return [String(runId), stage]
  }

  it('is continued by the serve of the scope that the program gave it', async () => {
    const [runId, stage] = await leave({ project: '' })
    const serving = await startServing([], stage)
    await expect.poll(() => serving.linesOf(runId)).toMatchObject([{ msg: 'run resumed' }])
  })

  it('is left alone without one, and the log says how it is continued', async () => {
    const [runId, stage] = await leave()
    const serving = await startServing([], stage)
    await expect
      .poll(() => serving.linesOf(runId))
      .toMatchObject([
        { msg: 'run left alone', reason: expect.stringContaining(`"opsbook resume ${runId}"`) },
      ])
  })
})
