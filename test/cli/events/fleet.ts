import { beginning, calling, type Moment } from './recorded.ts'

const tools = 'monit/tools/invoke'

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
  const offline = {
    code: 'target_unavailable',
    message: `the agent of host-${failEvery - 1} is offline`,
    index: failEvery - 1,
    count: failed,
    paths: [1, 2, 3].map((place) => `hosts[${place * failEvery - 1}]/checks`),
  }
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
        failed_items: { total: items, failed, kinds: failed === 0 ? [] : [offline] },
      },
    ],
    ...inTurn(after, end + parallel + 1, 'core/write'),
  ]
}

function fleetItem(index: number, atMs: number, stepMs: number, failEvery: number): readonly Moment[] {
  const item = `hosts[${index}]`
  const path = `${item}/checks`
  const error = { code: 'target_unavailable', message: `the agent of host-${index} is offline`, path }
  const looked = calling(`${item}/catalog`, 'monit/tools/catalog', atMs, atMs + stepMs - 2)
  const begins: readonly Moment[] = [
    ...looked,
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
