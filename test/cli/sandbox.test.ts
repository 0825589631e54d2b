import { type AddressInfo, createServer } from 'node:net'

import { sandboxKeys } from 'opsbook/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { opsbook } from './support/opsbook.ts'

test.each(['SIGINT', 'SIGTERM'] as const)(
  'the address first, then how to try it; %s ends it well',
  async (signal) => {
    let answered: number | undefined
    const { code, stdout, stderr } = await opsbook(['sandbox', '--port', '0'], {
      onWrite: async (text, command) => {
        if (!text.includes('Try it')) return
        const [, curl = ''] = /curl -s '([^']+)'/.exec(text) ?? []
        const body = '{"target_locator":"web-01"}'
        answered = (
          await fetch(curl, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
        ).status
        command.signal(signal)
      },
    })
    expect({ code, answered }).toEqual({ code: 0, answered: 200 })
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/)
    for (const { key } of sandboxKeys) expect(stderr).toContain(key)
    expect(stderr).toContain(`OPSBOOK_BASE_URL=${stdout.trim()}`)
  },
)

test('an address in use', async () => {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const { code, stdout, stderr } = await opsbook(['sandbox', '--port', String(port)])
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
  expect(stderr).toContain(`127.0.0.1:${port} is in use by another process`)
  expect(stderr).toContain('--port 0')
})

test('the keys are in the help', async () => {
  const { stdout } = await opsbook(['sandbox', '--help'])
  for (const { key, description } of sandboxKeys) expect(stdout).toContain(`${key.padEnd(16)}${description}`)
})
