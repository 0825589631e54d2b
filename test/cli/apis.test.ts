import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startStandIn } from '../api/stand-in.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

/** A document of a ticket system: references, an answer that holds itself, and what 3.0 and 3.1 say in two ways. */
function ticketsDocument(version: '3.0.3' | '3.1.0'): string {
  const text = version === '3.0.3' ? { type: 'string', nullable: true } : { type: ['string', 'null'] }
  return JSON.stringify({
    openapi: version,
    info: { title: 'Tickets', version: '1' },
    paths: {
      '/tickets/{id}/comments': {
        parameters: [{ $ref: '#/components/parameters/Id' }],
        get: {
          operationId: 'listComments',
          summary: 'List the comments of a ticket.',
          parameters: [
            { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1 } },
            { name: 'label', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
            { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          ],
          responses: { 200: { $ref: '#/components/responses/Comments' } },
        },
      },
      '/tickets': {
        post: {
          operationId: 'tickets/create',
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Ticket' } } },
          },
          responses: {
            201: {
              description: 'ok',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Ticket' } } },
            },
          },
        },
      },
      '/upload': {
        post: {
          operationId: 'upload',
          requestBody: { content: { 'application/zip': { schema: { type: 'string' } } } },
          responses: { 204: { description: 'ok' } },
        },
      },
    },
    components: {
      parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
      responses: {
        Comments: {
          description: 'ok',
          content: {
            'application/json': {
              schema: { type: 'array', items: { $ref: '#/components/schemas/Comment' } },
            },
          },
        },
      },
      schemas: {
        Comment: {
          type: 'object',
          properties: {
            text: { type: 'string', example: 'a' },
            parent: { $ref: '#/components/schemas/Comment' },
          },
        },
        Ticket: {
          type: 'object',
          required: ['id', 'title'],
          properties: {
            id: { type: 'string', readOnly: true },
            title: { type: 'string', pattern: '^(' },
            assignee: text,
          },
        },
      },
    },
  })
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const runbook = `apiVersion: opsbook/v1
name: look
inputs: { type: object, required: [id], properties: { id: { type: string } } }
steps:
  - { id: create, uses: tickets/tickets/create, with: { body: { title: Disk full, assignee: null } } }
  - { id: comments, uses: tickets/list-comments, with: { id: "\${{ inputs.id }}", page: 2, label: [a, b], X-Trace: t-1 } }
outputs: { first: "\${{ steps.comments.outputs.body[0].text }}", ticket: "\${{ steps.create.outputs.body.id }}" }
`

interface Changes {
  readonly version?: '3.0.3' | '3.1.0'
  readonly operations?: string
  readonly pin?: string
  readonly connection?: string
}

async function setUp({ version = '3.0.3', operations, pin, connection = 'desk' }: Changes = {}) {
  const server = await startStandIn(({ method }, response) => {
    response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(method === 'POST' ? { id: 'T-1', title: 'a' } : [{ text: 'hello' }]))
  })
  const document = ticketsDocument(version)
  const chosen =
    operations ??
    '{ listComments: { safety: read, limits: { per-second: 1 } }, tickets/create: { safety: create } }'
  const folder = await newFolder({
    'tickets.json': document,
    'look.yaml': runbook,
    'opsbook.yaml': `connections:
  desk: { type: http, base-url: "${server.baseUrl}/api", auth: { type: bearer, token: env:DESK } }
apis:
  tickets:
    openapi: ./tickets.json
    ${pin ?? `sha256: ${hashOf(document)}`}
    connection: ${connection}
    operations: ${chosen}
`,
  })
  const env = { DESK: 'canary-of-the-desk' }
  return { server, folder, run: (...words: string[]) => opsbook(words, { folder, env }) }
}

describe('actions of an OpenAPI document', () => {
  it.each(['3.0.3', '3.1.0'] as const)('of %s are called over their connection', async (version) => {
    const { server, run } = await setUp({ version })
    const { code, stdout, stderr } = await run('run', 'look.yaml', '-i', 'id=a/b', '--data-dir', 'data')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toContain('first: hello')
    expect(server.received).toMatchObject([
      { method: 'POST', url: '/api/tickets', body: '{"title":"Disk full","assignee":null}' },
      {
        method: 'GET',
        url: '/api/tickets/a%2Fb/comments?page=2&label=a&label=b',
        headers: { 'x-trace': 't-1', authorization: 'Bearer canary-of-the-desk' },
      },
    ])
  })

  it('are checked as others are, with the arguments and the answers that the document says', async () => {
    const { folder, run } = await setUp()
    await writeFile(
      join(folder, 'look.yaml'),
      `apiVersion: opsbook/v1
name: look
steps:
  - { id: a, uses: tickets/list-comments, with: { pag: 2 } }
  - { id: b, uses: tickets/list-comments, with: { id: a, page: zero } }
  - { id: c, uses: tickets/tickets/create, with: { body: { titel: 1 } } }
  - { id: d, uses: tickets/tickets/creat }
  - { id: e, uses: core/log, with: { message: "\${{ steps.b.outputs.body[0].txt }}" } }
  - { id: f, uses: tickets/list-comments, connection: desk, with: { id: a } }
`,
    )
    const { stdout } = await run('validate', 'look.yaml')
    for (const code of [
      'UNKNOWN_ARGUMENT',
      'MISSING_ARGUMENT',
      'WRONG_ARGUMENT',
      'UNKNOWN_ACTION',
      'UNKNOWN_FIELD',
      'NO_EFFECT',
    ])
      expect(stdout).toContain(code)
    expect(stdout).toContain('did you mean "page"?')
    expect(stdout).toContain('did you mean "tickets/tickets/create"?')
  })

  it('are known to plan, actions, schema and call', async () => {
    const { server, run } = await setUp()
    const plan = await run('plan', 'look.yaml', '-i', 'id=a')
    expect(plan.stdout).toContain('creates   tickets/tickets/create · over desk')
    expect(plan.stdout).toContain('reads     tickets/list-comments · over desk')
    expect((await run('actions', 'tickets/list-comments')).stdout).toContain('List the comments of a ticket')
    expect((await run('schema')).stdout).toContain('with-tickets.list-comments')
    const called = await run('call', 'tickets/list-comments', '-i', 'id=a')
    expect(called.stdout).toContain('text: hello')
    expect(server.received).toMatchObject([{ url: '/api/tickets/a/comments' }])
  })

  it('refuse a value that would name another path', async () => {
    const { server, run } = await setUp()
    const { code, stdout, stderr } = await run('run', 'look.yaml', '-i', 'id=..', '--data-dir', 'data')
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('must not be empty, "." or ".."')
    expect(server.received).toEqual([])
  })

  it('stay out of a sandbox', async () => {
    const { server, run } = await setUp()
    const { stdout, stderr } = await run('run', 'look.yaml', '-i', 'id=a', '--sandbox', '--data-dir', 'data')
    expect(stdout + stderr).toContain('would leave the sandbox')
    expect(server.received).toEqual([])
  })

  it.each([
    [{ pin: `sha256: ${'f'.repeat(64)}` }, 'has changed since it was pinned', 'then write sha256:'],
    [{ pin: '' }, 'is not pinned', 'then write sha256:'],
    [{ operations: '{ listComments: {} }' }, 'needs the key "safety"', ''],
    [
      { operations: '{ listComents: { safety: read } }' },
      'is not in the document; did you mean "listComments"?',
      '',
    ],
    [{ operations: '{ upload: { safety: create } }' }, 'takes a body of application/zip', ''],
    [{ connection: 'dask' }, 'there is no connection "dask" of type http', ''],
  ] as const)('%o is found before anything is sent', async (changes, message, hint) => {
    const { server, run } = await setUp(changes)
    for (const words of [
      ['run', 'look.yaml', '-i', 'id=a'],
      ['validate', 'look.yaml'],
      ['plan', 'look.yaml', '-i', 'id=a'],
    ]) {
      const { code, stdout, stderr } = await run(...words)
      expect({ words, code }).toEqual({ words, code: 2 })
      expect(stdout + stderr).toContain(message)
      expect(stdout + stderr).toContain(hint)
    }
    expect(server.received).toEqual([])
  })
})
