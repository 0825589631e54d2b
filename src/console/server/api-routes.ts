import type { FastifyRequest } from 'fastify'
import type { ConsoleReads } from './reads.ts'
import type { Route } from './route.ts'

const limit = { type: 'integer', minimum: 1, maximum: 1000, default: 50 } as const
const text = { type: 'string' } as const

/** The routes of `/api/v1` that read. */
export function readRoutes(reads: ConsoleReads): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/runs',
      access: 'viewer',
      about: 'Runs, newest first.',
      query: {
        status: { type: 'array', items: text },
        runbook: text,
        label: { type: 'array', items: text },
        since: text,
        until: text,
        after: text,
        limit,
      },
      answer: { type: 'object' },
      handle: async ({ query }) => reads.runs(query as Parameters<ConsoleReads['runs']>[0]),
    },
    {
      method: 'GET',
      path: '/api/v1/runs/:id',
      access: 'viewer',
      about: 'One run, as `opsbook show --output json` prints it.',
      answer: { type: 'object' },
      handle: async (request) => reads.run(idOf(request)),
    },
    {
      method: 'GET',
      path: '/api/v1/runs/:id/view',
      access: 'viewer',
      about: 'What a screen shows of a run now.',
      answer: { type: 'object' },
      handle: async (request) => reads.view(idOf(request)),
    },
  ]
}

function idOf({ params }: FastifyRequest): string {
  return (params as { readonly id: string }).id
}
