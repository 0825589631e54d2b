import type { StateOf } from '../../../src/console/pages/index.ts'
import type { ItemRow, LoopFacts, RunView, StepNode } from '../../../src/view/run/index.ts'
import { ago, around, run } from './sample-states.ts'

/** A loop with this many items, half of them done. */
export function loopOf(total: number, done: number = total / 2): LoopFacts {
  const failed = Math.floor(done / 50)
  return {
    unit: 'items',
    total,
    done,
    failed,
    in_flight: 20,
    waiting: 12,
    left: total - done - 20,
    per_minute: 594,
    expected_end: ago(-505),
    limited_by: 'budget',
    limit: { action: 'monit/tools/invoke', calls: 600, per: 'minute' },
    oldest: Array.from({ length: 20 }, (_, place) => ({
      index: done + place,
      path: `checks[${done + place}]`,
      item: `host-${done + place}`,
      since: ago(12 - place / 2),
      at: 'look',
      ...(place % 2 === 0
        ? {}
        : { wait: { path: `checks[${done + place}]/look`, reason: 'budget', since: ago(3) } as const }),
    })),
    failures: [
      { code: 'target_unavailable', message: 'the agent of … is offline', count: failed - 1, first: 11 },
      { code: 'permission_denied', message: 'the agent refuses …', count: 1, first: 13 },
    ],
    durations: {
      bounds_ms: [100, 300, 1000, 3000, 10_000, 30_000, 60_000, 300_000, 1_800_000],
      counts: [10, 1300, 1600, 410, 12, 3, 0, 0, 0, 0],
    },
    time: {
      since: ago(60),
      bucket_ms: 1600,
      in_flight_ms: 1_200_000,
      waited_ms: { budget: 900_000, throttle: 60_000, target: 6000 },
      shares: {
        budget: Array.from({ length: 38 }, () => 75),
        throttle: Array.from({ length: 38 }, () => 5),
        target: [0, 0, 20],
      },
    },
    cells: `${done - failed}s${failed}f20r${total - done - 20}p`,
  }
}

/** A step at this place among its siblings. */
function nodeAt(
  path: string,
  position: number,
  kind: StepNode['kind'],
  status: StepNode['status'],
  more: Partial<StepNode> = {},
): StepNode {
  const [id = '', parent] = path.split('/').toReversed()
  return { path, ...(parent === undefined ? {} : { parent }), position, id, kind, status, ...more }
}

/** The steps of a run of many kinds. */
export function nodesOf(total: number): readonly StepNode[] {
  return [
    nodeAt('prepare', 0, 'block', 'succeeded', {
      name: 'Look at one host first',
      started_at: ago(139),
      ended_at: ago(120),
    }),
    nodeAt('prepare/probe', 0, 'call', 'succeeded', {
      action: 'monit/tools/invoke',
      attempts: 2,
      started_at: ago(139),
      ended_at: ago(125),
      past_waits: [
        { reason: 'budget', since: ago(138), until: ago(135) },
        { reason: 'target', since: ago(134), until: ago(132) },
        { reason: 'retry', since: ago(131), until: ago(129) },
        { reason: 'pause', since: ago(128), until: ago(126) },
      ],
      waited_ms: { budget: 3000, target: 2000, retry: 2000, pause: 2000 },
    }),
    nodeAt('prepare/never', 1, 'call', 'skipped', {
      action: 'core/log',
      condition: 'size(inputs.hosts) > 100000',
      started_at: ago(120),
      ended_at: ago(120),
    }),
    nodeAt('checks', 1, 'block', 'running', {
      name: 'Look at every host',
      started_at: ago(60),
      loop: loopOf(total),
    }),
    nodeAt('report', 2, 'call', 'failed', {
      action: 'core/write',
      is_warning: true,
      error: { code: 'InvalidInput', message: 'the folder is not there' },
      started_at: ago(60),
      ended_at: ago(59),
      attempts: 1,
    }),
    nodeAt('approve', 3, 'call', 'waiting', {
      action: 'core/approve',
      started_at: ago(50),
      waits: [{ path: 'approve', reason: 'approval', since: ago(50), until: ago(-3600), message: 'Go on?' }],
    }),
    nodeAt('last', 4, 'call', 'pending', { action: 'core/log' }),
  ]
}

/** A run that is under way. */
export function viewOf(total: number): RunView {
  return {
    run_id: run.run_id,
    seq: 100,
    is_whole: true,
    head: {
      runbook: 'fleet-check',
      title: 'Check the fleet',
      status: 'running',
      started_at: ago(139),
      last_at: ago(0),
      begins: 1,
      steps: { total: 5, ended: 2, failed: 1 },
    },
    nodes: nodesOf(total),
  }
}

/** Items of the loop, from this position on. */
export function itemsFrom(after: number, limit: number): readonly ItemRow[] {
  return Array.from({ length: limit }, (_, place) => {
    const index = after + 1 + place
    const isBad = index % 50 === 11
    return {
      index,
      path: `checks[${index}]`,
      item: `host-${index}`,
      status: isBad ? 'failed' : 'succeeded',
      started_at: ago(50),
      ended_at: ago(49),
      ...(isBad ? { error: { code: 'target_unavailable', message: 'the agent is offline' } } : {}),
    } as const
  })
}

/** The page of that run, with one of its parts. */
export function runState(tab: string, total = 10_000): StateOf<'run'> {
  return {
    ...around,
    page: 'run',
    path: `/runs/${run.run_id}?tab=${tab}${tab === 'items' ? '&step=checks' : ''}`,
    data: {
      view: viewOf(total),
      own_runbooks: [run.runbook],
      run: {
        ...run,
        status: 'running',
        started_at: ago(139),
        inputs: { hosts: ['web-01', 'web-02'] },
        questions: [
          {
            path: 'approve',
            message: 'Go on?',
            asked_at: ago(50),
            shown: '1-0123456789',
            status: 'open',
            answers: [],
          },
        ],
        artifacts: [{ file: 'hosts.json', path: 'prepare/probe', bytes: 81_200 }],
      },
      journal: { events: journalOf('prepare/probe') },
      ...(tab === 'items' ? { items: { items: itemsFrom(-1, 100), next: 99 } } : {}),
    },
  }
}

/** The events of a call that succeeded at its second attempt. */
function journalOf(path: string) {
  const call = { path, action: 'monit/tools/invoke' }
  const error = { code: 'overloaded', message: 'the agent is busy' }
  const events = [
    { type: 'run_started', at: ago(139) },
    { type: 'step_started', at: ago(139), ...call },
    { type: 'waiting', at: ago(138), path, reason: 'budget' },
    { type: 'attempt_started', at: ago(130), ...call, attempt: 1 },
    { type: 'attempt_failed', at: ago(129), path, attempt: 1, error, is_repeated: true },
    { type: 'waiting', at: ago(129), path, reason: 'retry' },
    { type: 'attempt_started', at: ago(126), ...call, attempt: 2 },
    { type: 'step_finished', at: ago(125), path, status: 'succeeded' },
  ]
  return events.map((event, at) => ({ seq: at + 1, run_id: run.run_id, ...event }))
}
