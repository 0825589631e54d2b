import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { expect, inject, it, onTestFinished } from 'vitest'
import { type DevServer, type DevServerOptions, startDevServer } from '../../../support/temporal-server.ts'
import { newHome } from './new-home.ts'

async function start(options: DevServerOptions = {}): Promise<DevServer> {
  const server = await startDevServer(options)
  onTestFinished(() => server.stop())
  return server
}

async function connect({ address }: DevServer): Promise<Client> {
  const connection = await Connection.connect({ address })
  onTestFinished(() => connection.close())
  return new Client({ connection })
}

const isAlive = (processId: number): boolean => {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}

it('knows its search attributes as soon as it has started, and serves its UI', async () => {
  const server = await start({
    uiPort: 0,
    searchAttributes: { OneWord: 'Keyword', ManyWords: 'KeywordList', ANumber: 'Int' },
  })
  const { workflow } = await connect(server)
  expect((await workflow.count(`OneWord = 'x' AND ManyWords = 'y' AND ANumber > 1`)).count).toBe(0)
  expect((await fetch(server.uiAddress ?? '')).status).toBe(200)
})

it('keeps what it knows in a file, also when it is killed', async () => {
  const databaseFile = join(await newHome({}), 'a folder', 'temporal.db')
  const first = await start({ databaseFile })
  const client = await connect(first)
  await client.workflow.start('anything', { taskQueue: 'nobody', workflowId: 'kept' })
  process.kill(first.processId ?? 0, 'SIGKILL')
  expect(await first.ended).toMatchObject({ exitCode: undefined })

  const second = await start({ databaseFile })
  const { workflow } = await connect(second)
  expect((await workflow.getHandle('kept').describe()).status.name).toBe('RUNNING')
})

it('ends when it is stopped, twice as well', async () => {
  const server = await start()
  await server.stop()
  expect((await server.ended).exitCode).toBe(0)
  expect(isAlive(server.processId ?? 0)).toBe(false)
  await server.stop()
})

it('leaves a server that ran before as it is', async () => {
  const environment = { TEMPORAL_ADDRESS: inject('temporalAddress') }
  const server = await startDevServer({ environment })
  await server.stop()
  expect(server.processId).toBeUndefined()
  expect((await (await connect(server)).workflow.count('')).count).toBeGreaterThanOrEqual(0)
})

it('takes another port where that is taken', async () => {
  const port = Number(inject('temporalAddress').split(':')[1])
  const { address } = await start({ port })
  expect(address).not.toBe(inject('temporalAddress'))
})

it('says why the server does not start: it ends with a message', async () => {
  const home = await newHome({
    'bin/temporal': 'if [ "$1" = --version ]; then echo "GOOD"; else echo "out of luck" >&2; exit 7; fi',
  })
  const environment = { HOME: home, PATH: join(home, 'bin') }
  await expect(start({ environment })).rejects.toMatchObject({
    code: 'TemporalUnavailable',
    message: expect.stringContaining('out of luck'),
  })
})
