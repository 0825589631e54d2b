import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isRunning, uniqueSleep } from '../../../actions/processes.ts'
import { newFolder, opsbook, type RunningCommand } from '../../../cli/support/opsbook.ts'
import { enginesOfTest, type openEngines } from './open-engines.ts'

const head = 'apiVersion: opsbook/v1\nname: one\nsteps:\n'
const commands = 'commands: { local: true }\n'

async function openProject(steps: string) {
  const engines = await enginesOfTest({ 'one.yaml': head + steps }, { hasWorker: false, more: commands })
  return engines
}

/** A worker of another folder with this `opsbook.yaml`. Answers with what stops it. */
async function startWorker(engines: Awaited<ReturnType<typeof openEngines>>, more: string) {
  const settings = readFileSync(join(engines.folder, 'opsbook.yaml'), 'utf8').replace(commands, more)
  const folder = await newFolder({ 'opsbook.yaml': settings })
  let worker: RunningCommand | undefined
  const ended = opsbook(['worker'], {
    folder,
    env: engines.env,
    onWrite(text, command) {
      if (text.startsWith('worker ready')) worker = command
    },
  })
  await expect.poll(() => worker).toBeDefined()
  return async () => {
    worker?.signal('SIGTERM')
    return (await ended).code
  }
}

describe('core/command on workers', () => {
  it('runs where the worker allows it, and nowhere else', async () => {
    const engines = await openProject(
      '  - { id: a, uses: core/command, with: { script: "echo said; exit 3", ok: [3] } }\noutputs: { said: "${{ steps.a.outputs.stdout }}" }\n',
    )
    const stop = await startWorker(engines, '')
    const refused = await engines.temporal(['run', 'one.yaml', '-q', '-o', 'json'])
    expect(JSON.parse(refused.stdout).error).toMatchObject({ code: 'CommandNotAllowed' })
    expect(await stop()).toBe(0)
    onTestFinished(async () => void (await (await allowed)()))
    const allowed = startWorker(engines, commands)
    await allowed
    const { code, stdout } = await engines.temporal(['run', 'one.yaml', '-q', '-o', 'json'])
    expect([code, JSON.parse(stdout).outputs]).toEqual([0, { said: 'said' }])
  })

  it('shows its lines while it runs, each once', async () => {
    const mark = join(await newFolder(), 'mark')
    const engines = await openProject(
      `  - { id: a, uses: core/command, with: { script: "echo first; until [ -e ${mark} ]; do sleep 0.1; done; echo second" } }\n`,
    )
    const stop = await startWorker(engines, commands)
    onTestFinished(async () => void (await stop()))
    const id = (await engines.temporal(['start', 'one.yaml'])).stdout.trim()
    const lines = async (): Promise<readonly string[]> =>
      (await engines.temporal(['logs', id, '-o', 'ndjson'])).stdout
        .split('\n')
        .filter((line) => line.includes('"type":"logged"'))
        .map((line) => JSON.parse(line).message)
    await expect.poll(lines).toEqual(['first'])
    writeFileSync(mark, '')
    expect((await engines.temporal(['watch', id])).code).toBe(0)
    expect(await lines()).toEqual(['first', 'second'])
  })

  it('ends with a cancelled run, and a create that was ended has an unknown outcome', async () => {
    const sleep = uniqueSleep()
    const engines = await openProject(
      `  - { id: a, uses: core/command, with: { script: "${sleep} & ${sleep}" } }\n`,
    )
    const stop = await startWorker(engines, commands)
    onTestFinished(async () => void (await stop()))
    const id = (await engines.temporal(['start', 'one.yaml'])).stdout.trim()
    await expect.poll(() => isRunning(sleep)).toBe(true)
    expect((await engines.temporal(['cancel', id])).code).toBe(0)
    expect((await engines.temporal(['watch', id])).code).toBe(4)
    const { stdout } = await engines.temporal(['show', id, '-o', 'json'])
    expect(JSON.parse(stdout).error.code).toBe('OutcomeUnknown')
    await expect.poll(() => isRunning(sleep)).toBe(false)
  })

  it('ends with its worker, and another one repeats what may be repeated', async () => {
    const sleep = uniqueSleep()
    const mark = join(await newFolder(), 'mark')
    const engines = await openProject(
      `  - { id: a, uses: core/command, with: { script: "[ -e ${mark} ] || ${sleep}", safety: idempotent } }\n`,
    )
    const stop = await startWorker(engines, commands)
    const ended = engines.temporal(['run', 'one.yaml', '-q', '-o', 'json'])
    await expect.poll(() => isRunning(sleep)).toBe(true)
    expect(await stop()).toBe(0)
    await expect.poll(() => isRunning(sleep)).toBe(false)
    writeFileSync(mark, '')
    const next = await startWorker(engines, commands)
    onTestFinished(async () => void (await next()))
    expect((await ended).code).toBe(0)
  })
})
