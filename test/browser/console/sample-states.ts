import type { StateOf } from '../../../src/console/pages/index.ts'
import type { RunSummary } from '../../../src/core/record/index.ts'

const start = Date.parse('2026-11-23T09:00:00Z')

/** What every page of the samples has. */
const around = {
  at: new Date(start).toISOString(),
  about: { version: '0.1.0', engine: 'embedded', location: '/var/lib/opsbook' },
  user: { name: 'maria', roles: ['operator'] },
  waiting: 3,
} as const

/** A time of the samples, this many seconds ago. */
function ago(seconds: number): string {
  return new Date(start - seconds * 1000).toISOString()
}

const people = { name: 'maria', source: 'system-user', user: 'maria' } as const

/** Runs in each of the states. */
const runs: readonly RunSummary[] = [
  {
    run_id: 'run_20261123_085741_k3x9qd',
    runbook: 'roll-out-image',
    title: 'Roll an image out to a fleet',
    labels: { team: 'shop', change: 'CHG-2210' },
    status: 'running',
    started_at: ago(139),
    started_by: people,
  },
  {
    run_id: 'run_20261123_085120_p0m2aa',
    runbook: 'publish-post-mortem',
    labels: {},
    status: 'waiting',
    started_at: ago(520),
    started_from: { kind: 'event', hook: 'pager', event_id: 'evt_81', trigger: 0 },
  },
  {
    run_id: 'run_20261123_082200_z81kk2',
    runbook: 'rotate-token',
    labels: { team: 'core' },
    status: 'unknown',
    error: {
      code: 'OutcomeUnknown',
      message: 'the answer of create was lost after it was sent',
      path: 'create',
    },
    started_at: ago(2280),
    ended_at: ago(2220),
    started_by: people,
  },
  {
    run_id: 'run_20261123_080000_mm01qa',
    runbook: 'morning-diagnosis',
    labels: {},
    status: 'succeeded',
    started_at: ago(3600),
    ended_at: ago(3555),
    started_from: { kind: 'schedule', schedule: 'morning-diagnosis', at: ago(3600), trigger: 0 },
  },
  {
    run_id: 'run_20261122_230501_t5w1pp',
    runbook: 'register-a2a-agent',
    labels: { team: 'core' },
    status: 'failed',
    error: { code: 'InvalidInput', message: 'with.url: is not an https address', path: 'register' },
    started_at: ago(35_699),
    ended_at: ago(35_698),
    started_by: people,
  },
  {
    run_id: 'run_20261122_190501_a5w1pq',
    runbook: 'diagnose-host',
    labels: {},
    status: 'cancelled',
    started_at: ago(50_099),
    ended_at: ago(50_001),
    started_by: people,
  },
]

/** The page of runs. */
export const runsState: StateOf<'runs'> = {
  ...around,
  page: 'runs',
  path: '/runs',
  data: { runs: { runs, next: 'run_20261122' } },
}
