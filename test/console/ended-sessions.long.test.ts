import { expect, test } from 'vitest'
import { newFolder } from '../cli/support/opsbook.ts'
import { sendRaw } from '../security/support/send-raw.ts'
import { logIn, openConsole } from './support/open-console.ts'

const eve = { by: { name: 'eve', source: 'console', verified: true }, roles: ['viewer'] } as const

test('the stream of a session that was ended ends', { timeout: 30_000 }, async () => {
  const console = await openConsole(await newFolder(), { roles: ['admin'] })
  const cookie = await logIn(console.url, console.issueCode(eve))
  const stream = await fetch(`${console.url}/api/v1/stream?topics=now`, { headers: { cookie } })
  let text = ''
  const ended = stream.body?.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(part) {
        text += part
      },
    }),
  )
  await expect.poll(() => text).toContain('event: now')
  await sendRaw(
    `${console.url}/logout`,
    { cookie, 'content-type': 'application/json', 'opsbook-console': '1' },
    { method: 'POST', body: '{}' },
  )
  await ended
})
