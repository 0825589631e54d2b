import { request } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startServing } from '../security/support/serve-in-process.ts'
import { newFolder } from './support/opsbook.ts'

const configuration = `hooks:
  incidents: { auth: { type: token, header: x-token, secret: env:HOOK_SECRET }, event: incident, id: "\${{ body.id }}" }
`

test('the first signal lets serve finish its work and says how to force it, the second ends it with 130', async () => {
  const folder = await newFolder({ 'opsbook.yaml': configuration })
  const exits: number[] = []
  const env = { HOOK_SECRET: 'hook-secret-0123456789' }
  const { url, text, signal, stop } = await startServing(['--sandbox'], {
    folder,
    env,
    onExit: (code) => exits.push(code),
  })
  // A delivery whose body never ends: serve waits for it.
  const held = request(`${url}/hooks/incidents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 100, expect: '100-continue' },
  })
  held.on('error', () => {})
  held.flushHeaders()
  await new Promise((resolve) => held.once('continue', resolve))
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const press = (afterMs: number): readonly number[] => {
    vi.setSystemTime(Date.now() + afterMs)
    signal('SIGINT')
    return [...exits]
  }
  expect(press(0)).toEqual([])
  expect(text()).toContain('Ctrl-C again exits immediately')
  // A second press within a quarter of a second counts as the first.
  expect([press(249), press(1)]).toEqual([[], [130]])
  held.destroy()
  expect(await stop()).toMatchObject({ exited: 130 })
})
