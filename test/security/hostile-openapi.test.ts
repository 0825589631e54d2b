import { createHash } from 'node:crypto'
import type { JsonObject } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { startStandIn } from '../api/stand-in.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

/** A document with one operation, whose answer has this schema. */
function documentOf(schema: object, more: object = {}, components: object = {}): string {
  const content = { 'application/json': { schema } }
  const get = { operationId: 'look', responses: { 200: { description: 'ok', content } }, ...more }
  return JSON.stringify({ openapi: '3.1.0', info: {}, paths: { '/a': { get } }, components })
}

/** What `opsbook actions api/look` says with this document. */
async function look(document: string, name = 'api.json') {
  const folder = await newFolder({
    [name]: document,
    'opsbook.yaml': `connections: { a: { type: http, base-url: "https://a.example.com" } }
apis:
  api:
    openapi: ${name}
    sha256: ${createHash('sha256').update(document).digest('hex')}
    connection: a
    operations: { look: { safety: read } }
`,
  })
  const { code, stdout, stderr } = await opsbook(['actions', 'api/look'], { folder })
  return { code, text: stdout + stderr }
}

function deep(levels: number, wrap: (inner: object) => object): object {
  let schema: object = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = wrap(schema)
  return schema
}

/** Schemas that refer to each other in circles: 3 MB, with hundreds of operations. */
function largeDocument(): string {
  const count = 1500
  const names = (n: number) => [(n + 1) % count, (n * 7 + 3) % count, (n * 13 + 5) % count]
  const schemas: Record<string, object> = {}
  for (let n = 0; n < count; n++) {
    const fields = Array.from({ length: 20 }, (_, at) => [
      `field${at}`,
      {
        type: 'string',
        description: 'What this field is for, in so many words that a document becomes large.',
      },
    ])
    const links = names(n).map((other, at) => [`link${at}`, { $ref: `#/components/schemas/S${other}` }])
    schemas[`S${n}`] = { type: 'object', properties: Object.fromEntries([...fields, ...links]) }
  }
  const paths: Record<string, object> = {}
  for (let n = 0; n < 600; n++) {
    const content = { 'application/json': { schema: { $ref: `#/components/schemas/S${n}` } } }
    const responses = { 200: { description: 'ok', content } }
    paths[`/r${n}`] = { get: { operationId: n === 0 ? 'look' : `look${n}`, responses } }
  }
  return JSON.stringify({ openapi: '3.1.0', info: {}, paths, components: { schemas } })
}

describe('a document of OpenAPI', () => {
  it('that is large makes small actions', async () => {
    const document = largeDocument()
    expect(document.length).toBeGreaterThan(3_000_000)
    const { code, text } = await look(document)
    expect({ code, text: text.slice(0, 300) }).toMatchObject({ code: 0 })
    expect(text).toContain('field19')
    expect(text.length).toBeLessThan(1_000_000)
  })

  it('that doubles with each level is said as far as it stays small', async () => {
    const schemas: Record<string, object> = { L30: { type: 'string' } }
    for (let level = 0; level < 30; level++) {
      const next = { $ref: `#/components/schemas/L${level + 1}` }
      const properties = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`p${at}`, next]))
      schemas[`L${level}`] = { type: 'object', properties }
    }
    const { code, text } = await look(documentOf({ $ref: '#/components/schemas/L0' }, {}, { schemas }))
    expect({ code, isSmall: text.length < 1_000_000 }).toEqual({ code: 0, isSmall: true })
  })

  it.each([
    ['properties', deep(1000, (inner) => ({ type: 'object', properties: { a: inner } }))],
    ['allOf', deep(1000, (inner) => ({ allOf: [inner] }))],
    ['const', { const: deep(1000, (inner) => ({ a: inner })) }],
  ])('may be nested without end in %s', async (_, schema) => {
    expect(await look(documentOf(schema))).toMatchObject({ code: 0 })
  })

  it('reads no other file and no address', async () => {
    const server = await startStandIn((_request, response) => void response.end('{ "type": "string" }'))
    const url = `${server.baseUrl}/schema.json`
    for (const $ref of [url, 'opsbook.yaml', '/etc/hostname', 'file:///etc/hostname#/a']) {
      expect(await look(documentOf({ $ref }))).toMatchObject({ code: 0 })
      const { code, text } = await look(documentOf({}, { parameters: [{ $ref }] }))
      expect({ code, text }).toEqual({
        code: 2,
        text: expect.stringContaining('and other documents are not read'),
      })
    }
    expect(server.received).toEqual([])
  })

  it.each([
    [{ $ref: '#/components/schemas/None' }, 'which is not in the document'],
    [{ $ref: '#/components/schemas/A' }, 'which only refers to itself'],
    [{ $ref: '#/__proto__/toString' }, 'which is not in the document'],
  ])('with the reference %o says what is wrong', async (schema, message) => {
    const schemas = { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } }
    const { code, text } = await look(documentOf(schema, {}, { schemas }))
    expect({ code, text }).toEqual({ code: 2, text: expect.stringContaining(message) })
  })

  it.each([
    '/../../admin',
    '/a/..',
    '/%2e%2E/admin',
    '/a%2f..%2fb',
    '/.',
    '//evil.example/a',
    'admin',
    '/a\\..\\b',
    '/.\t./admin',
  ])('with the path %j sends nothing elsewhere', async (path) => {
    const get = { operationId: 'look', responses: { 200: { description: 'ok' } } }
    const text = JSON.stringify({ openapi: '3.1.0', info: {}, paths: { [path]: { get } } })
    expect(await look(text)).toEqual({
      code: 2,
      text: expect.stringContaining('leads out of that of the connection'),
    })
  })

  it.each(['/a.b/..c/{id}', '/v1/a:b/@me', '/a?b=1'])('with the path %j is used', async (path) => {
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
    const get = { operationId: 'look', parameters, responses: { 200: { description: 'ok' } } }
    const text = JSON.stringify({ openapi: '3.1.0', info: {}, paths: { [path]: { get } } })
    expect(await look(text)).toMatchObject({ code: 0 })
  })

  it('in YAML is no bomb', async () => {
    const levels = Array.from({ length: 12 }, (_, at) => {
      const items = at === 0 ? '[x, x]' : `[${Array.from({ length: 10 }, () => `*a${at - 1}`).join(', ')}]`
      return `x${at}: &a${at} ${items}\n`
    })
    const bomb = await look(`openapi: 3.1.0\n${levels.join('')}paths: {}\n`, 'api.yaml')
    expect(bomb).toEqual({ code: 2, text: expect.stringContaining('is neither JSON nor YAML') })
    const nested = await look(`openapi: 3.1.0\npaths: ${'['.repeat(20_000)}`, 'api.yaml')
    expect(nested).toEqual({ code: 2, text: expect.stringContaining('is neither JSON nor YAML') })
  })

  it('of more than 20 MiB is refused unread', async () => {
    const { code, text } = await look(documentOf({ description: 'x'.repeat(21 * 2 ** 20) }))
    expect({ code, text }).toEqual({ code: 2, text: expect.stringContaining('has at most 20') })
  })

  it('takes names that JavaScript gives a meaning', async () => {
    const properties = JSON.parse(
      '{ "__proto__": { "type": "string" }, "constructor": { "type": "string" } }',
    ) as JsonObject
    expect(await look(documentOf({ type: 'object', properties }))).toMatchObject({ code: 0 })
    expect(({} as JsonObject)['type']).toBeUndefined()
  })
})
