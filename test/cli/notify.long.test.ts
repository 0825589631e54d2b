import { expect, test } from 'vitest'
import { startReceiver } from '../engine/notifications/receiver.ts'
import { newFolder, opsbook } from './support/opsbook.ts'
import { startService } from './support/service.ts'

test('a chat server that takes 4 s for its answer has the message when the run has ended', async () => {
  const [service, chat] = [await startService(), await startReceiver()]
  const folder = await newFolder({
    'opsbook.yaml': 'notify: [{ on: [run_failed], url: env:OPS_CHAT_URL }]\n',
    'fail.yaml':
      'apiVersion: opsbook/v1\nname: test\nsteps:\n  - { id: wrong, uses: core/assert, with: { that: [false] } }\n',
  })
  const surroundings = { folder, env: { ...service.env(), OPS_CHAT_URL: chat.url } }
  chat.manner = 'slow'
  const run = await opsbook(['run', 'fail.yaml', '--data-dir', 'data'], surroundings)
  expect(run.code).toBe(1)
  expect(run.stderr).toContain('waits up to 10 seconds for notifications to arrive')
  const doctor = await opsbook(['doctor', '--data-dir', 'data', '-o', 'json'], surroundings)
  expect(JSON.parse(doctor.stdout).checks).toContainEqual({
    name: 'notices',
    status: 'ok',
    message: '1 target, everything was delivered',
  })
  expect(chat.received).toHaveLength(1)
})
