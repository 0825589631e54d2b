import { RunbookError } from 'opsbook'
import { createClient } from 'opsbook/api'
import { startSandbox } from 'opsbook/sandbox'
import { expect, it, onTestFinished } from 'vitest'
import { createStage } from './support/stage.ts'

const catalog = (id: string, more = ''): string =>
  `  - { id: ${id}, uses: monit/tools/catalog, with: { target_locator: web-01 }${more} }\n`

it('opens each connection once, and those that steps name before the first call', async () => {
  const sandbox = await startSandbox({ limits: false })
  const client = createClient({ baseUrl: sandbox.url, appKey: 'sandbox-owner', limits: 'off' })
  onTestFinished(async () => {
    await client.close()
    await sandbox.close()
  })
  const stage = createStage()
  const asked: string[] = []
  const steps = `${catalog('a')}  - id: block
    steps:
      - id: inner
        uses: monit/tools/catalog
        with: { target_locator: web-01 }
        connection: other
${catalog('c', ', connection: other')}${catalog('d')}`
  const connect = (name: string | undefined) => {
    asked.push(`${name ?? 'default'} after ${stage.events.length > 0 ? 'the start' : 'nothing'}`)
    return client
  }
  expect((await stage.run(steps, { connect })).status).toBe('succeeded')
  expect(asked).toEqual(['other after nothing', 'default after the start'])
})

it('starts nothing when a connection that a step names is missing', async () => {
  const stage = createStage()
  const connect = () => {
    throw new RunbookError('MissingKey', 'no key')
  }
  const steps = `  - { id: made, uses: note/make, with: { name: made } }\n${catalog('b', ', connection: other')}`
  await expect(stage.start(steps, { connect })).rejects.toMatchObject({ code: 'MissingKey', notSent: true })
  expect(stage.calls).toEqual([])
})

it('needs none where nothing is sent', async () => {
  const stage = createStage()
  expect((await stage.run('  - { id: note, uses: note/make, with: { name: made } }\n')).status).toBe(
    'succeeded',
  )
  expect(await stage.run(catalog('a'))).toMatchObject({
    status: 'failed',
    error: { message: 'nothing here has a connection', notSent: true },
  })
})

it('hides the key of each connection that was opened from the answers of all', async () => {
  const sandbox = await startSandbox({ limits: false })
  const keys = ['key-of-the-default', 'key-of-the-other']
  const [own, other] = keys.map((appKey) => createClient({ baseUrl: sandbox.url, appKey, limits: 'off' }))
  onTestFinished(async () => {
    await Promise.all([own?.close(), other?.close()])
    await sandbox.close()
  })
  const stage = createStage()
  stage.answer = ({ name }) => ({ name, held: keys.join(' and ') })
  const steps = `${catalog('a', ', continue-on-error: true')}${catalog('b', ', continue-on-error: true, connection: other')}
  - { id: made, uses: note/make, with: { name: made } }\n`
  const connect = (name: string | undefined) => (name === 'other' ? other : own) ?? expect.fail()
  await stage.run(steps, { connect })
  expect(
    stage.rows(`SELECT json_extract(output, '$.held') AS held FROM attempts WHERE path = 'made'`),
  ).toEqual([{ held: '*** and ***' }])
})
