import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { StateOf } from '../../../src/console/pages/index.ts'
import type { ItemRow, LoopFacts, RunView, StepNode } from '../../../src/view/run/index.ts'
import { ago, around, run } from './sample-states.ts'

const file = new URL('sample-run.yaml', import.meta.url)
const written = parse(readFileSync(file, 'utf8')) as {
  readonly nodes: readonly StepNode[]
  readonly journal: readonly { readonly type: string; readonly at: string }[]
}

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

/** The steps of a run of many kinds. The loop is the fourth of them. */
export function nodesOf(total: number): readonly StepNode[] {
  return written.nodes.map((node) => (node.path === 'checks' ? { ...node, loop: loopOf(total) } : node))
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

const call = {
  path: 'prepare/probe',
  action: 'monit/tools/invoke',
  started_at: ago(100),
  ended_at: ago(98),
} as const

/** A step that was tried again, and tolerates what has failed. */
const sampleStep: NonNullable<StateOf<'run'>['data']['step']> = {
  run_id: run.run_id,
  path: 'prepare/probe',
  step: {
    path: call.path,
    action: call.action,
    status: 'succeeded',
    attempts: 2,
    failed_items: { total: 8, failed: 1, kinds: [] },
  },
  attempts: [
    {
      ...call,
      attempt: 1,
      status: 'failed',
      is_repeated: true,
      sent: { input: { target_locator: 'web-01', tools: [{ tool: 'os.overview' }] } },
      error: { code: 'HttpFailed', message: 'connect 127.0.0.1: refused', details: { stderr: 'one\ntwo' } },
      advice: 'Check the address.',
    },
    {
      ...call,
      attempt: 2,
      status: 'succeeded',
      output: { results: ['x'.repeat(9000)] },
      request_id: 'req_1',
    },
  ],
  next: 2,
  failed: [
    {
      path: 'prepare/probe',
      code: 'tool_failed',
      message: 'no answer',
      failed_items: { count: 1, name: 'os.overview', paths: ['prepare/probe'] },
    },
  ],
  questions: [],
  waits: [
    { path: call.path, reason: 'retry', message: '1 of 8 failed', started_at: ago(98), ended_at: ago(97) },
  ],
  log: [{ at: ago(99), path: call.path, level: 'info', message: 'line 1' }],
  files: [{ file: 'hosts.json', path: call.path, bytes: 81_200 }],
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
        control_requests: [],
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
      journal: {
        events: written.journal.map((event, at) => ({ seq: at + 1, run_id: run.run_id, ...event })),
      },
      ...(tab === 'step' ? { step: sampleStep } : {}),
      ...(tab === 'items' ? { items: { items: itemsFrom(-1, 100), next: 99 } } : {}),
    },
  }
}
