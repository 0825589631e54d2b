import { request } from 'node:http'
import { expect, test } from 'vitest'
import { newFolder, opsbook, type RunningCommand } from './support/opsbook.ts'

const configuration = `hooks:
  incidents: { auth: { type: token, header: x-token, secret: env:HOOK_SECRET }, event: incident, id: "\${{ body.id }}" }
`

test('the first signal lets serve finish its work and says how to force it, the second ends it with 130', async () => {
  const folder = await newFolder({ 'opsbook.yaml': configuration })
  let command: RunningCommand | undefined
  let ready = (_url: string): void => {}
  const url = new Promise<string>((resolve) => {
    ready = resolve
  })
  let stderr = ''
  let exits = 0
  const served = opsbook(['serve', '--sandbox', '--listen', '127.0.0.1:0'], {
    folder,
    env: { HOOK_SECRET: 'hook-secret-0123456789' },
    onStart: (running) => {
      command = running
    },
    onWrite(text) {
      stderr += text
      const [found] = /http:\/\/[^\s,]+/.exec(text) ?? []
      if (text.includes('serve ready') && found !== undefined) ready(found)
    },
    onExit: () => exits++,
  })
  // A delivery whose body never ends: serve waits for it.
  const held = request(`${await url}/hooks/incidents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 100, expect: '100-continue' },
  })
  held.on('error', () => {})
  held.flushHeaders()
  await new Promise((resolve) => held.once('continue', resolve))
  command?.signal('SIGINT')
  expect(stderr).toContain('Ctrl-C again exits immediately')
  expect(exits).toBe(0)
  // A second press within a quarter of a second counts as the first.
  await expect
    .poll(() => {
      command?.signal('SIGINT')
      return exits
    })
    .toBeGreaterThan(0)
  held.destroy()
  expect(await served).toMatchObject({ exited: 130 })
})
