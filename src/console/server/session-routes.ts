import type { FastifyRequest } from 'fastify'
import type { SessionDocument, SessionsDocument } from '../../documents/index.ts'
import * as documents from '../../documents/index.ts'
import type { SessionRecord } from '../store/index.ts'
import { findSession } from './guard.ts'
import { ConsoleError } from './problem.ts'
import { part } from './read-routes.ts'
import type { Route } from './route.ts'
import type { Sessions } from './sessions.ts'

/** The sessions of browsers: who has one, and how to end it. */
export function sessionRoutes(sessions: Sessions): readonly Route[] {
  const end = (id: string): SessionRecord => {
    const ended = sessions.endById(id)
    if (ended !== undefined) return ended
    throw new ConsoleError({ status: 404, code: 'NotFound', detail: 'there is no open session with this id' })
  }
  return [
    {
      method: 'GET',
      path: '/api/v1/sessions',
      access: 'admin',
      about: 'The open sessions of browsers, newest first.',
      answer: documents.sessionsSchema,
      handle: async (request) => sessionsDocument(sessions, request),
    },
    {
      method: 'DELETE',
      path: '/api/v1/sessions/:id',
      access: 'admin',
      act: 'end session',
      about: 'Ends a session. Its streams end within 5 seconds.',
      answer: documents.sessionSchema,
      handle: async (request) => summaryOf(end(part(request, 'id'))),
    },
    {
      method: 'POST',
      path: '/sessions/:id/end',
      access: 'admin',
      act: 'end session',
      async handle(request, reply) {
        end(part(request, 'id'))
        await reply.redirect('/system', 303)
        return undefined
      },
    },
  ]
}

/** The open sessions, with the one of the request marked. */
export function sessionsDocument(sessions: Sessions, request: FastifyRequest): SessionsDocument {
  const own = findSession(request)
  return {
    sessions: sessions.list().map((session) => ({
      ...summaryOf(session),
      ...(session.id === own?.id ? { is_own: true as const } : {}),
    })),
  }
}

function summaryOf({ provider: _, ...session }: SessionRecord): SessionDocument {
  return session
}
