import { beginning, type Moment } from './recorded.ts'

const create = 'rum/application/create'
const tools = 'monit/tools/invoke'

/** Blocks, branches, a catch, a warning and a question, all at once. */
export const nestedRun: readonly Moment[] = [
  [
    0,
    {
      type: 'run_started',
      runbook: 'onboard',
      title: 'Bring a shop into the account',
      steps: [
        { path: 'optional', action: tools },
        { path: 'export', action: 'safari/session/export' },
        { path: 'setup', name: 'Make everything', action: 'block' },
        { path: 'ready', name: 'Wait until it reports', action: 'rum/application/infos' },
        { path: 'look', action: 'parallel' },
        { path: 'ask', name: 'Ask the owner', action: 'core/approve' },
      ],
    },
  ],
  [0, { type: 'step_started', path: 'optional', action: tools }],
  [
    900,
    {
      type: 'step_finished',
      path: 'optional',
      status: 'failed',
      attempts: 1,
      error: { code: 'TooManyFailures', message: '2 of 3 items failed', path: 'optional' },
      is_warning: true,
    },
  ],
  [1000, { type: 'step_started', path: 'export', action: 'safari/session/export' }],
  [
    1500,
    {
      type: 'attempt_failed',
      path: 'export',
      attempt: 1,
      error: { code: 'AccessDenied', message: 'the session is private' },
      is_repeated: false,
    },
  ],
  [1500, { type: 'step_started', path: 'export/no_export', action: 'core/log' }],
  [1500, { type: 'logged', path: 'export/no_export', level: 'warn', message: 'no export' }],
  [1500, { type: 'step_finished', path: 'export/no_export', status: 'succeeded', attempts: 1 }],
  [
    1500,
    {
      type: 'step_finished',
      path: 'export',
      status: 'succeeded',
      attempts: 2,
      caught: { code: 'AccessDenied', message: 'the session is private', path: 'export' },
    },
  ],
  [1500, { type: 'step_started', path: 'setup', action: 'block', name: 'Make everything' }],
  [1500, { type: 'step_started', path: 'setup/application', action: create, name: 'The application' }],
  [
    2000,
    {
      type: 'step_finished',
      path: 'setup/application',
      status: 'succeeded',
      attempts: 1,
      outputs: { application_id: 'app_1' },
    },
  ],
  [2000, { type: 'step_started', path: 'setup/agent', action: 'safari/a2a-agent/create' }],
  [2000, { type: 'attempt_started', path: 'setup/agent', attempt: 1, action: 'safari/a2a-agent/create' }],
  [2000, { type: 'waiting', path: 'setup/agent', reason: 'timeout', until: beginning + 600_000 }],
]

/** The same run after its block: branches at the same time, each waiting for something else. */
export const branchedRun: readonly Moment[] = [
  ...nestedRun,
  [3000, { type: 'step_finished', path: 'setup/agent', status: 'succeeded', attempts: 1 }],
  [3000, { type: 'step_finished', path: 'setup', status: 'succeeded', attempts: 2 }],
  [3000, { type: 'step_started', path: 'ready', action: 'rum/application/infos' }],
  [3000, { type: 'attempt_started', path: 'ready', attempt: 1, action: 'rum/application/infos' }],
  [3100, { type: 'attempt_succeeded', path: 'ready', attempt: 1 }],
  [3100, { type: 'waiting', path: 'ready', reason: 'poll', until: beginning + 8100 }],
  [8100, { type: 'attempt_started', path: 'ready/poll-2', attempt: 1, action: 'rum/application/infos' }],
  [8200, { type: 'attempt_succeeded', path: 'ready/poll-2', attempt: 1 }],
  [8200, { type: 'step_finished', path: 'ready', status: 'succeeded', attempts: 2 }],
  [8200, { type: 'step_started', path: 'look', action: 'parallel' }],
  [8200, { type: 'step_started', path: 'look/pause', action: 'core/wait' }],
  [8200, { type: 'waiting', path: 'look/pause', reason: 'wait', until: beginning + 68_200 }],
  [8200, { type: 'step_started', path: 'look/denied', action: 'monit/tools/catalog' }],
  [
    8300,
    {
      type: 'step_finished',
      path: 'look/denied',
      status: 'failed',
      attempts: 1,
      error: { code: 'AccessDenied', message: 'no permission for this host', path: 'look/denied' },
    },
  ],
  [8300, { type: 'step_started', path: 'look/query', action: 'monit/preview/sync' }],
  [8300, { type: 'waiting', path: 'look/query', reason: 'budget', until: beginning + 20_000 }],
  [8300, { type: 'step_started', path: 'look/target', action: tools }],
  [8300, { type: 'waiting', path: 'look/target', reason: 'target' }],
]

/** A person is asked. */
export const askingRun: readonly Moment[] = [
  ...branchedRun,
  [70_000, { type: 'step_finished', path: 'look', status: 'succeeded', attempts: 3 }],
  [70_000, { type: 'step_started', path: 'ask', action: 'core/approve', name: 'Ask the owner' }],
  [
    70_000,
    {
      type: 'waiting',
      path: 'ask',
      reason: 'approval',
      until: beginning + 70_000 + 1_800_000,
      message:
        'The application app_1 and its agent are there. Three tools say that the host is short of memory. Publish the application now, with its agent?',
    },
  ],
]

/** What is recorded of a loop. */
export interface FleetOptions {
  readonly items: number
  readonly parallel: number
  /** Every so many-th item fails. */
  readonly failEvery?: number
  /** Milliseconds of each of the two steps of an item. */
  readonly stepMs?: number
  /** Steps around the loop. */
  readonly others?: number
}

/** A loop of blocks over many items, so many at a time, between other steps; to its end. */
export function fleetRun({
  items,
  parallel,
  failEvery = 7,
  stepMs = 500,
  others = 2,
}: FleetOptions): readonly Moment[] {
  const before = Array.from({ length: others }, (_, index) => `before_${index + 1}`)
  const after = Array.from({ length: others }, (_, index) => `after_${index + 1}`)
  const steps = [
    ...before.map((path) => ({ path, action: 'monit/tools/catalog' })),
    { path: 'hosts', name: 'Look at every host', action: 'block' },
    ...after.map((path) => ({ path, action: 'core/write' })),
  ]
  const start = others * 20
  const rounds = Math.ceil(items / parallel)
  const end = start + rounds * stepMs * 2
  const inTurn = (paths: readonly string[], fromMs: number, action: string): readonly Moment[] =>
    paths.flatMap((path, index): readonly Moment[] => [
      [fromMs + index * 20, { type: 'step_started', path, action }],
      [fromMs + index * 20 + 15, { type: 'step_finished', path, status: 'succeeded', attempts: 1 }],
    ])
  const loop = Array.from({ length: items }, (_, index) =>
    fleetItem(
      index,
      start + Math.floor(index / parallel) * stepMs * 2 + (index % parallel),
      stepMs,
      failEvery,
    ),
  )
    .flat()
    .sort(([one], [other]) => one - other)
  const failed = Math.floor(items / failEvery)
  return [
    [0, { type: 'run_started', runbook: 'fleet', title: 'First look at a fleet', steps }],
    ...inTurn(before, 0, 'monit/tools/catalog'),
    [start, { type: 'step_started', path: 'hosts', action: 'block', name: 'Look at every host' }],
    [start, { type: 'items_counted', path: 'hosts', total: items }],
    ...loop,
    [
      end + parallel,
      {
        type: 'step_finished',
        path: 'hosts',
        status: 'succeeded',
        attempts: items * 2,
        outputs: { total: items, succeeded: items - failed, failed, failures: [] },
      },
    ],
    ...inTurn(after, end + parallel + 1, 'core/write'),
  ]
}

function fleetItem(index: number, atMs: number, stepMs: number, failEvery: number): readonly Moment[] {
  const item = `hosts[${index}]`
  const path = `${item}/checks`
  const error = { code: 'target_unavailable', message: `the agent of host-${index} is offline`, path }
  const begins: readonly Moment[] = [
    [atMs, { type: 'step_started', path: `${item}/catalog`, action: 'monit/tools/catalog' }],
    [atMs, { type: 'attempt_started', path: `${item}/catalog`, attempt: 1, action: 'monit/tools/catalog' }],
    [atMs + stepMs - 2, { type: 'attempt_succeeded', path: `${item}/catalog`, attempt: 1 }],
    [atMs + stepMs - 2, { type: 'step_finished', path: `${item}/catalog`, status: 'succeeded', attempts: 1 }],
    [atMs + stepMs - 1, { type: 'step_started', path, action: tools }],
  ]
  if (index % failEvery === failEvery - 1) {
    return [
      ...begins,
      [atMs + stepMs, { type: 'attempt_started', path, attempt: 1, action: tools }],
      [atMs + stepMs, { type: 'attempt_failed', path, attempt: 1, error, is_repeated: true }],
      [atMs + stepMs, { type: 'waiting', path, reason: 'retry', until: beginning + atMs + stepMs * 2 - 2 }],
      [atMs + stepMs * 2 - 2, { type: 'attempt_started', path, attempt: 2, action: tools }],
      [atMs + stepMs * 2 - 2, { type: 'attempt_failed', path, attempt: 2, error, is_repeated: false }],
      [atMs + stepMs * 2 - 2, { type: 'step_finished', path, status: 'failed', attempts: 2, error }],
      [atMs + stepMs * 2 - 1, { type: 'item_finished', path: item, status: 'failed' }],
    ]
  }
  return [
    ...begins,
    [atMs + stepMs, { type: 'attempt_started', path, attempt: 1, action: tools }],
    [atMs + stepMs * 2 - 2, { type: 'attempt_succeeded', path, attempt: 1 }],
    [atMs + stepMs * 2 - 2, { type: 'step_finished', path, status: 'succeeded', attempts: 1 }],
    [atMs + stepMs * 2 - 1, { type: 'item_finished', path: item, status: 'succeeded' }],
  ]
}
