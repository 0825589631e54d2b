/**
 * The attack: texts of strangers that are written so that a search for secrets takes long. Before, such a text was
 * replaced as a whole, and a file that held one was lost although its step succeeded.
 */
import { type ActionDefinition, defineAction, type JsonObject } from 'opsbook'
import { expect, test } from 'vitest'
import { createRunSecrets, runWithSecrets } from '../../src/actions/index.ts'
import { createStreamMask } from '../../src/actions/output-file.ts'
import type { Io } from '../../src/cli/shared/io.ts'
import { createLogger } from '../../src/cli/shared/logger.ts'
import { createMask, secretMark } from '../../src/core/mask/mask.ts'
import { contextWith } from '../actions/context-with.ts'

const secret = 'C4nary &"4711"/token'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const twenty = (text: string): string => text.repeat(20)

/** Without a secret; `twice` holds it in an encoding of an encoding. */
const texts: Readonly<Record<string, string>> = {
  'escapes in escapes': twenty('%252525+&amp;amp;\\\\\\\\'),
  'digits between escapes': twenty(`${'3'.repeat(120)}%25&amp;\\\\+\n%41&#50;`),
  'escapes that are never complete': twenty(`%3${'%3'.repeat(50)}&#${'&#1'.repeat(50)}\\u00\\x`),
  'escapes that complete each other': `${'%3'.repeat(5000)}3`,
  'threefold base64': base64(base64(base64(twenty('what a stranger writes')))),
  'a link and JSON in JSON': JSON.stringify(
    JSON.stringify({ link: 'https://a.example.com/?q=%2520%253D&amp;b=c+d', text: 'a "b" \\ c\n' }),
  ),
  'one letter': 'a'.repeat(5000),
}

test.each(Object.entries(texts))('%s: the text stays, and a secret in it is hidden', (_, text) => {
  const mask = createMask([secret, 'a+b %2525 \\"x'], secretMark)
  expect(mask.text(text)).toBe(text)
  expect(mask.value({ text })).toEqual({ text })
  for (const form of [secret, encodeURIComponent(encodeURIComponent(secret)), base64(base64(secret))]) {
    const masked = mask.text(`${text} ${form} ${text}`)
    expect(masked.startsWith(`${text} `) && masked.endsWith(` ${text}`)).toBe(true)
    expect(masked.slice(text.length, -text.length)).toMatch(/^ \*\*\*[\w=]{0,4} $/)
  }
})

test('a file of 1.5 MB that holds 21 such characters is kept', () => {
  const text = `${'GET /index.html 200\n'.repeat(40_000)}${texts['escapes in escapes']}${'line\n'.repeat(140_000)}`
  const stream = createStreamMask(createMask([secret], secretMark))
  const written = Buffer.concat([
    stream.push(Buffer.from(text)),
    stream.push(Buffer.from(secret)),
    stream.end(),
  ])
  expect(written.toString() === `${text}${secretMark}`).toBe(true)
})

/** Secrets that have so much in common that each place of a text of the same kind can be the beginning of all. */
const alike = Array.from({ length: 800 }, (_, more) => `${'a'.repeat(100 + more)}b`)
const sensitive = `${'a'.repeat(40_000)}b`

function attempt(run: ActionDefinition<JsonObject, unknown>['run'], log: unknown[]): Promise<unknown> {
  const action = defineAction<JsonObject>({
    name: 'acme/thing/create',
    summary: 'Makes a thing',
    safety: 'create',
    input: { type: 'object' },
    output: { type: 'object' },
    run,
  })
  const secrets = createRunSecrets(
    { resolve: () => Promise.reject(new Error('none')), others: async () => alike },
    [],
  )
  return runWithSecrets(action, {}, [], secrets, contextWith({ log: (_, ...line) => log.push(line) }))
}

test('the answer of a create is kept, with as many secrets that begin alike', async () => {
  const logged: unknown[] = []
  const answer = await attempt((_, { log }) => {
    log.info('a line', { text: sensitive })
    return { thing_id: 'thing-1', other: texts['one letter']?.slice(0, 90), text: `x ${alike[799]} x` }
  }, logged)
  expect(answer).toMatchObject({
    output: { thing_id: 'thing-1', other: 'a'.repeat(90), text: `x ${secretMark} x` },
  })
  expect(JSON.stringify(logged)).not.toContain('aaab')
})

test('to log does not throw, whatever the stream', async () => {
  let written = ''
  const write = (line: string): void => {
    if (line.includes('broken')) throw new Error('the stream is broken')
    written += line
  }
  const logger = await createLogger('info', { stderr: { write } } as unknown as Io, createMask(alike))
  logger?.info({ text: alike[0] }, 'a line')
  logger?.info('broken')
  logger?.info('another line')
  const lines = written.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['a line', 'another line'])
  expect(written).not.toContain('aaab')
})
