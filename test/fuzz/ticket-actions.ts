import { type Action, createApiActions } from '../../src/actions/index.ts'

const text = { type: 'string' }
const ok = {
  200: {
    description: 'ok',
    content: { 'application/json': { schema: { type: 'object', properties: { id: text } } } },
  },
}

/** Two actions of an OpenAPI document, with a parameter in each place and a body. */
export async function ticketActions(): Promise<readonly Action[]> {
  const { actions } = await createApiActions({
    name: 'tickets',
    connection: 'github',
    operations: { get: { safety: 'read' }, create: { safety: 'create' } },
    document: {
      openapi: '3.1.0',
      paths: {
        '/tickets/{id}': {
          get: {
            operationId: 'get',
            parameters: [
              { name: 'id', in: 'path', required: true, schema: text },
              { name: 'page', in: 'query', schema: { type: 'integer' } },
              { name: 'X-Trace', in: 'header', schema: text },
            ],
            responses: ok,
          },
        },
        '/tickets': {
          post: {
            operationId: 'create',
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    required: ['title'],
                    properties: { title: text, tags: { type: 'array', items: text } },
                  },
                },
              },
            },
            responses: ok,
          },
        },
      },
    },
  })
  return actions
}
