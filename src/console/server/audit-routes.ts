import * as documents from '../../documents/index.ts'
import { flag, text } from '../../documents/index.ts'
import type { AuditQuery } from '../store/index.ts'
import { get, limit } from './read-routes.ts'
import type { ConsoleReads } from './reads.ts'
import type { Route } from './route.ts'

/** The audit, where this console keeps one. */
export function auditRoutes({ audit }: Pick<ConsoleReads, 'audit'>): readonly Route[] {
  if (audit === undefined) return []
  return [
    {
      ...get(
        '/audit',
        'Who did what, newest first, as `opsbook audit --output json`. Refused acts are rows too.',
        documents.auditSchema,
        ({ query }) => audit(query as AuditQuery),
        { who: text, refused: flag, since: text, until: text, after: text, limit },
      ),
      access: 'admin',
    },
  ]
}
