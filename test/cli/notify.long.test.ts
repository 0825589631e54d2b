import { expect, test } from 'vitest'
import { startReceiver } from '../engine/notifications/receiver.ts'
import { openDesk } from './support/desk.ts'

test('a chat server that takes 4 s for its answer has the message when the run has ended', async () => {
  const chat = await startReceiver()
  const { command, document } = await openDesk(
    {
      'opsbook.yaml': 'notify: [{ on: [run_failed], url: env:OPS_CHAT_URL }]\n',
      'fail.yaml':
        'apiVersion: opsbook/v1\nname: test\nsteps:\n  - { id: wrong, uses: core/assert, with: { that: [false] } }\n',
    },
    { OPS_CHAT_URL: chat.url },
  )
  chat.manner = 'slow'
  const run = await command('run', 'fail.yaml')
  expect(run.code).toBe(1)
  expect(run.stderr).toContain('waits up to 10 seconds for notifications to arrive')
  expect((await document('doctor')).checks).toContainEqual({
    name: 'notices',
    status: 'ok',
    message: '1 target, everything was delivered',
  })
  expect(chat.received).toHaveLength(1)
})
