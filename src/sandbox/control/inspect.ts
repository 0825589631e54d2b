import { datasources } from '../datasources.ts'
import { runners } from '../fixtures.ts'
import { hosts } from '../hosts.ts'
import type { JsonObject } from '../json.ts'
import { recordedSessions } from '../sessions/fixtures.ts'
import type { Endpoint } from './endpoint.ts'

/** Endpoints that show what is there and what happened. */
export const inspectEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/requests',
    summary: 'every request received, oldest first; ?operation=E4 &after=NUMBER &limit=COUNT',
    run({ query }, { requests }) {
      const after = readCount(query['after'])
      const limit = readCount(query['limit'])
      const operation = query['operation']
      if (Number.isNaN(after) || Number.isNaN(limit))
        return { problem: 'after and limit must be whole numbers' }
      if (operation !== undefined && typeof operation !== 'string') return { problem: 'give operation once' }
      return { text: requests.format({ operation, after, limit }) }
    },
  },
  {
    method: 'GET',
    path: '/audit',
    summary: 'the audit log: what E1, E2, E7 and E8 changed, oldest first',
    run: (_input, { world }) => ({ value: { entries: world.audit as unknown as readonly JsonObject[] } }),
  },
  {
    method: 'GET',
    path: '/state',
    summary: 'everything in the sandbox: what calls changed, and the fixtures',
    run: (_input, { world, settings, clock }) => ({
      value: {
        ...(world.state() as unknown as JsonObject),
        settings: { ...settings },
        now: new Date(clock.now()).toISOString(),
        hosts: hosts.map(({ locator, kinds, about }) => ({ locator, kinds, about })),
        sessions: recordedSessions.map(({ id, access }) => ({ session_id: id, access })),
        datasources: datasources.map(({ name, type }) => ({ ds_name: name, ds_type: type })),
        runners: runners.map((runner) => ({ ...runner })),
      },
    }),
  },
]

function readCount(text: unknown): number | undefined {
  if (text === undefined) return undefined
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}
