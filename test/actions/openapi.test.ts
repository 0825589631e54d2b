import { createHttpConnection, type JsonObject } from 'opsbook'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApiActions } from '../../src/actions/index.ts'
import { toJsonSchema } from '../../src/actions/openapi/to-json-schema.ts'
import { startStandIn } from '../api/stand-in.ts'
import { contextWith } from './context-with.ts'

describe('a schema of a document', () => {
  it.each([
    [
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [{ type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [{ type: 'integer', format: 'int64', example: 1, xml: {} }, { type: 'integer' }],
    [
      { type: 'number', minimum: 0, exclusiveMinimum: true },
      { type: 'number', minimum: 0 },
    ],
    [{ type: 'string', pattern: '(' }, { type: 'string' }],
    [{ $ref: 'https://a.example.com/schema.json' }, {}],
    [{ anyOf: [{ type: 'string', example: 'a' }, { $ref: '#/a' }] }, { anyOf: [{ type: 'string' }, {}] }],
    [
      { type: 'array', items: { nullable: true, type: 'number' } },
      { type: 'array', items: { type: ['number', 'null'] } },
    ],
    [
      { type: 'object', required: ['a', 'b'], properties: { a: { readOnly: true }, b: { writeOnly: true } } },
      { type: 'object', required: ['a'], properties: { a: {} } },
    ],
    [
      { type: 'object', additionalProperties: { type: 'string', format: 'x' } },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
  ])('%j is %j', (schema, expected) => {
    expect(toJsonSchema(schema as JsonObject)).toEqual(expected)
  })

  it('that holds itself ends where it would begin again', () => {
    const schema: Record<string, unknown> = { type: 'object' }
    schema['properties'] = { child: schema }
    expect(toJsonSchema(schema as JsonObject)).toEqual({ type: 'object', properties: { child: {} } })
  })
})

describe('a schema with references', () => {
  const parts: Readonly<Record<string, JsonObject>> = {
    '#/a': { type: 'object', readOnly: true, properties: { next: { $ref: '#/a' }, b: { $ref: '#/b' } } },
    '#/b': { type: 'string', description: 'old' },
  }
  const resolve = (reference: string) => parts[reference]

  it('has what they lead to, with what is written beside them', () => {
    const schema = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { $ref: '#/a' }, b: { $ref: '#/b', description: 'new' } },
    }
    const b = { type: 'string', description: 'old' }
    expect(toJsonSchema(schema as unknown as JsonObject, 'answer', resolve)).toEqual({
      type: 'object',
      required: ['a', 'b'],
      properties: {
        a: { type: 'object', properties: { next: {}, b } },
        b: { type: 'string', description: 'new' },
      },
    })
    expect(toJsonSchema(schema as unknown as JsonObject, 'request', resolve)).toEqual({
      type: 'object',
      required: ['b'],
      properties: { b: { type: 'string', description: 'new' } },
    })
  })

  it('is said as deeply as a thousand parts allow', () => {
    const wide = (level: number): JsonObject => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 10 }, (_, at) => [`p${at}`, { $ref: `#/${level}` }]),
      ),
    })
    const schema = toJsonSchema(wide(1), 'answer', (reference) => wide(Number(reference.slice(2)) + 1))
    const text = JSON.stringify(schema)
    expect(text.length).toBeLessThan(100_000)
    expect(schema).toMatchObject({ properties: { p0: { properties: { p0: { type: 'object' } } } } })
  })
})

const document = {
  openapi: '3.1.0',
  info: { title: 'a', version: '1' },
  paths: {
    '/search/{kind}': {
      get: {
        operationId: 'searchAll',
        parameters: [
          { name: 'kind', in: 'path', required: true, schema: { type: 'array', items: { type: 'string' } } },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
          { name: 'sort', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
          { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
        ],
        responses: { default: { description: 'a' } },
      },
    },
    '/token': {
      post: {
        operationId: 'token',
        requestBody: { content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } } },
        responses: { 200: { description: 'a' } },
      },
    },
    '/twice/{a}': {
      get: {
        operationId: 'twice',
        parameters: [
          { name: 'a', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'a', in: 'query', schema: { type: 'string' } },
        ],
        responses: { 200: { description: 'a' } },
      },
    },
    '/1': { get: { operationId: '1', responses: { 200: { description: 'a' } } } },
  },
} as unknown as JsonObject

it('an operation puts each argument where the document says', async () => {
  const server = await startStandIn((_, response) => void response.end('ok'))
  const connection = await createHttpConnection({ name: 'test', baseUrl: server.baseUrl })
  onTestFinished(() => connection.close())
  const operations = { searchAll: { safety: 'read' }, token: { safety: 'idempotent' } } as const
  const { actions, problems } = await createApiActions({
    name: 'a',
    document,
    connection: 'test',
    operations,
  })
  expect(problems).toEqual({})
  expect(actions.map(({ name, safety }) => `${name} ${safety}`)).toEqual([
    'a/search-all read',
    'a/token idempotent',
  ])
  const context = contextWith({ connectHttp: async () => connection })
  const search = { kind: ['x', 'y/z'], filter: { a: 1, b: 'c d' }, sort: ['a', 'b'], tag: ['a', 'b'] }
  await actions[0]?.run(search, context)
  await actions[1]?.run({ body: { grant: 'a&b', scope: ['x', 'y'] } }, context)
  expect(server.received).toMatchObject([
    { method: 'GET', url: '/search/x%2Cy%2Fz?filter%5Ba%5D=1&filter%5Bb%5D=c%20d&sort=a%2Cb&tag=a&tag=b' },
    { method: 'POST', url: '/token', body: 'grant=a%26b&scope=x&scope=y' },
  ])
})

it('an operation that cannot be an action says why', async () => {
  const operations = { twice: { safety: 'read' }, '1': { safety: 'read' }, nope: { safety: 'read' } } as const
  const { actions, problems } = await createApiActions({
    name: 'a',
    document,
    connection: 'test',
    operations,
  })
  expect(actions).toEqual([])
  expect(problems).toEqual({
    twice: 'has two arguments of the name "a"',
    '1': 'makes no name of an action: a/1',
    nope: 'is not in the document',
  })
})
