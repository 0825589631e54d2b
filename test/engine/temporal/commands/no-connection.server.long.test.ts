import { expect, test } from 'vitest'
import { opsbook, type RunningCommand } from '../../../cli/support/opsbook.ts'
import { enginesOfTest } from './open-engines.ts'

test('a worker without a connection runs runbooks that do not call the service', async () => {
  const head = 'apiVersion: opsbook/v1\nname: one\nsteps:\n'
  const files = {
    'quiet.yaml': `${head}  - { id: a, uses: core/write, save-as: a.txt, with: { content: a } }\n`,
    'need.yaml': `${head}  - { id: a, uses: monit/tools/catalog, with: { target_locator: web-01 } }\n`,
  }
  const engines = await enginesOfTest(files, { hasWorker: false })
  let worker: RunningCommand | undefined
  const ended = opsbook(['worker'], {
    folder: engines.folder,
    env: engines.env,
    onWrite(text, command) {
      if (text.startsWith('worker ready')) worker = command
    },
  })
  await expect.poll(() => worker).toBeDefined()
  expect((await engines.temporal(['run', 'quiet.yaml', '-q'])).code).toBe(0)
  const failed = await engines.temporal(['run', 'need.yaml', '-q', '-o', 'json'])
  expect(JSON.parse(failed.stdout).error).toMatchObject({ code: 'MissingKey' })
  worker?.signal('SIGTERM')
  const { code, stderr } = await ended
  expect(code).toBe(0)
  expect(stderr).toContain('no default connection is configured')
})
