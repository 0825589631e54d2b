import * as documents from '../../documents/index.ts'
import { flag, text } from '../../documents/index.ts'
import type { AuditQuery } from '../store/index.ts'
import { limit } from './read-routes.ts'
import type { ConsoleReads } from './reads.ts'
import type { Route } from './route.ts'

/** The audit, where this console keeps one. */
export function auditRoutes({ audit }: Pick<ConsoleReads, 'audit'>): readonly Route[] {
  if (audit === undefined) return []
  return [
    {
      method: 'GET',
      path: '/api/v1/audit',
      access: 'admin',
      about: 'Who did what, newest first, as `opsbook audit --output json`. Refused acts are rows too.',
      query: { who: text, refused: flag, since: text, until: text, after: text, limit },
      answer: documents.auditSchema,
      handle: ({ query }) => audit(query as AuditQuery),
    },
  ]
}
