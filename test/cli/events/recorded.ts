import type { RunEvent, TimedRunEvent } from '../../../src/core/events.ts'

/** Where every recorded stream begins. */
export const beginning: number = Date.UTC(2026, 10, 20, 3, 0, 0)

/** An event and the milliseconds after the beginning at which it happens. */
export type Moment = readonly [afterMs: number, event: RunEvent]

/** Events as a listener gets them. */
export function timed(moments: readonly Moment[], startMs: number = beginning): readonly TimedRunEvent[] {
  return moments.map(([afterMs, event]) => ({
    ...event,
    run_id: 'run_20261120_030000_abcdef',
    at: new Date(startMs + afterMs).toISOString(),
  }))
}

/** A run of this many steps, of which so many have ended when the next one is under way; each takes a second. */
export function longRun(total: number, ended: number): readonly Moment[] {
  const path = (index: number): string => `step_${index + 1}`
  const action = 'monit/tools/catalog'
  const steps = Array.from({ length: total }, (_, index) => ({ path: path(index), action }))
  const one = (index: number): readonly Moment[] => [
    [index * 1000, { type: 'step_started', path: path(index), action }],
    [index * 1000, { type: 'attempt_started', path: path(index), attempt: 1, action }],
    [index * 1000 + 900, { type: 'attempt_succeeded', path: path(index), attempt: 1 }],
    [index * 1000 + 900, { type: 'step_finished', path: path(index), status: 'succeeded', attempts: 1 }],
  ]
  return [
    [0, { type: 'run_started', runbook: 'long', title: 'A long run', steps }],
    ...Array.from({ length: ended }, (_, index) => one(index)).flat(),
    ...one(ended).slice(0, 2),
  ]
}

/** A run in the middle of everything that can keep it waiting. */
export const busyRun: readonly Moment[] = [
  [
    0,
    {
      type: 'run_started',
      runbook: 'diagnose',
      title: 'First look',
      steps: [
        { path: 'application', name: 'Create the application', action: 'rum/application/create' },
        { path: 'optional', action: 'monit/tools/catalog' },
        { path: 'checks', name: 'Run the tools', action: 'monit/tools/invoke' },
        { path: 'hosts', action: 'monit/preview/sync' },
        { path: 'publish', action: 'incident/post-mortem/status/reset' },
      ],
    },
  ],
  [0, { type: 'step_started', path: 'application', action: 'rum/application/create' }],
  [0, { type: 'attempt_started', path: 'application', attempt: 1, action: 'rum/application/create' }],
  [
    200,
    {
      type: 'attempt_succeeded',
      path: 'application',
      attempt: 1,
      warnings: ['type "harmony" is new'],
      sensitive: ['tok_very_secret'],
    },
  ],
  [
    200,
    {
      type: 'step_finished',
      path: 'application',
      status: 'succeeded',
      attempts: 1,
      outputs: { application_id: 'app_1', client_token: 'tok_very_secret' },
    },
  ],
  [210, { type: 'step_finished', path: 'optional', status: 'skipped', attempts: 0, condition: 'inputs.all' }],
  [220, { type: 'step_started', path: 'checks', action: 'monit/tools/invoke' }],
  [220, { type: 'groups_counted', path: 'checks', groups: 3, items: 20 }],
  [220, { type: 'attempt_started', path: 'checks/group-1', attempt: 1, action: 'monit/tools/invoke' }],
  [1000, { type: 'attempt_succeeded', path: 'checks/group-1', attempt: 1 }],
  [1000, { type: 'attempt_started', path: 'checks/group-2', attempt: 1, action: 'monit/tools/invoke' }],
  [
    1500,
    {
      type: 'attempt_failed',
      path: 'checks/group-2',
      attempt: 1,
      error: { code: 'RequestTooFrequently', message: 'slow down', retryAfterMs: 10_000 },
      is_repeated: true,
    },
  ],
  [1500, { type: 'waiting', path: 'checks/group-2', reason: 'throttle', until: beginning + 11_500 }],
]

const overloaded = { code: 'overloaded', message: 'the agent is busy' }

/** A loop over six items: three have ended, one of them badly; one waits for the budget, two for a repeat. */
export const loopRun: readonly Moment[] = [
  [0, { type: 'run_started', runbook: 'loop', steps: [{ path: 'hosts', action: 'monit/tools/invoke' }] }],
  [0, { type: 'step_started', path: 'hosts', action: 'monit/tools/invoke' }],
  [0, { type: 'items_counted', path: 'hosts', total: 6 }],
  ...[0, 1, 2].flatMap((index): readonly Moment[] => [
    [0, { type: 'groups_counted', path: `hosts[${index}]`, groups: 1, items: 3 }],
    [
      0,
      { type: 'attempt_started', path: `hosts[${index}]/group-1`, attempt: 1, action: 'monit/tools/invoke' },
    ],
    [900, { type: 'attempt_succeeded', path: `hosts[${index}]/group-1`, attempt: 1 }],
    [900, { type: 'item_finished', path: `hosts[${index}]`, status: index === 1 ? 'failed' : 'succeeded' }],
  ]),
  [1000, { type: 'waiting', path: 'hosts[3]', reason: 'budget', until: beginning + 60_000 }],
  ...[4, 5].flatMap((index): readonly Moment[] => [
    [1000, { type: 'attempt_started', path: `hosts[${index}]`, attempt: 1, action: 'monit/tools/invoke' }],
    [
      2000,
      { type: 'attempt_failed', path: `hosts[${index}]`, attempt: 1, error: overloaded, is_repeated: true },
    ],
    [2000, { type: 'waiting', path: `hosts[${index}]`, reason: 'retry', until: beginning + 5000 }],
  ]),
]
