import { loadRunbook } from 'opsbook'
import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/core/plan/plan.ts'
import { caughtSteps, childOf, innerSteps, stepsOf } from '../../src/core/plan/plan-walk.ts'
import { type Box, drawGraph, writeMermaid, writeSvg } from '../../src/view/graph/index.ts'
import { loadCase } from '../core/play-case.ts'
import { mermaidLine } from './mermaid-line.ts'
import { runOfCase } from './run-of-case.ts'
import { shapes } from './shapes.ts'

const boxesOf = (box: Box): readonly Box[] => [box, ...[...box.parts, ...box.handlers].flatMap(boxesOf)]
const isStep = ({ kind }: Box): boolean => ['call', 'block', 'parallel', 'choose'].includes(kind)

/** The steps of a plan as a run names them, in any order. */
function pathsOf(plan: Plan): readonly string[] {
  const inside = (one: Plan, outer: string): readonly string[] =>
    stepsOf(one).flatMap((step) => ofStep(step, outer === '' ? step.id : `${outer}/${step.id}`))
  const ofStep = (step: Plan['steps'][number], path: string): readonly string[] => {
    const child = childOf(step, plan)
    const caught = child ? `${path}/on-failure` : path
    return [
      path,
      ...innerSteps(step).flatMap((one) => ofStep(one, `${path}/${one.id}`)),
      ...caughtSteps(step).flatMap((one) => ofStep(one, `${caught}/${one.id}`)),
      ...(child ? inside(child, path) : []),
    ]
  }
  return inside(plan, '')
}

describe.each(shapes.map((runCase) => [runCase.name, runCase] as const))('%s', (_, runCase) => {
  const { plan } = loadCase(runCase)
  if (!plan) throw new Error('the runbook is refused')

  it('each step is one box, and the same plan is the same drawing', () => {
    const graph = drawGraph(plan)
    const paths = boxesOf(graph.box)
      .filter(isStep)
      .map(({ path }) => path)
    expect(paths.toSorted()).toEqual(pathsOf(plan).toSorted())
    expect(boxesOf(graph.box).every(({ run }) => run === undefined)).toBe(true)
    const again = drawGraph(JSON.parse(JSON.stringify(plan)) as Plan)
    expect([writeSvg(again), writeMermaid(again)]).toEqual([writeSvg(graph), writeMermaid(graph)])
    expect(JSON.parse(JSON.stringify(graph))).toEqual(graph)
    expect(
      writeMermaid(graph)
        .split('\n')
        .filter((line) => !mermaidLine.test(line)),
    ).toEqual([])
  })

  it('each box of a run says how its step ended', async () => {
    const { run } = await runOfCase(runCase)
    const { box } = drawGraph(plan, run)
    expect(box.run?.status).toBe(run.record.status)
    const records = new Map(run.record.steps.map((record) => [record.path, record]))
    for (const { path, run } of boxesOf(box).filter(isStep)) {
      const record = records.get(path)
      if (!record) continue
      const plain = record.is_warning
        ? 'warning'
        : record.caught && record.status === 'succeeded'
          ? 'caught'
          : record.status
      expect(run?.status, path).toBe(plain)
      expect(run?.calls ?? 0, path).toBe(record.attempts)
    }
    for (const { path, parts } of boxesOf(box).filter(({ kind }) => kind === 'choose')) {
      const branch = records.get(path)?.branch
      const others = branch === undefined ? [] : parts.toSpliced(branch, 1)
      expect(others.map(({ run }) => run?.status)).toEqual(others.map(() => 'skipped'))
    }
    writeSvg({ box })
  })
})

it('the shapes have every kind of box, and every end of a step and of a run', async () => {
  const runs = await Promise.all(shapes.map(runOfCase))
  const boxes = runs.flatMap(({ plan, run }) => boxesOf(drawGraph(plan, run).box))
  expect(new Set(boxes.map(({ kind }) => kind))).toEqual(
    new Set(['runbook', 'call', 'block', 'parallel', 'choose', 'branch', 'child', 'catch', 'finally']),
  )
  expect(new Set(boxes.flatMap(({ loop }) => loop ?? []))).toEqual(new Set(['items', 'turns']))
  expect(new Set(boxes.map(({ run }) => run?.status))).toEqual(
    new Set(['succeeded', 'failed', 'skipped', 'cancelled', 'unknown', 'warning', 'caught', 'pending']),
  )
  expect(new Set(runs.map(({ run }) => run.record.status))).toEqual(
    new Set(['succeeded', 'failed', 'cancelled', 'unknown']),
  )
})

it('counts the items of a loop, and the steps of all items together', () => {
  const { plan } = loadRunbook(
    `
apiVersion: opsbook/v1
name: loop
steps:
  - id: hosts
    for-each: { items: [a, b, c], as: host, tolerate: all }
    steps:
      - { id: look, uses: core/wait, with: { for: 1s } }
      - { id: act, if: "\${{ host != 'b' }}", uses: core/wait, with: { for: 1s } }
`,
    [],
  )
  const at = '2026-01-01T00:00:00Z'
  const event = (more: object) => ({ seq: 0, event: { run_id: 'run_1', at, ...more } as never })
  const ended = (path: string, status: string, seconds: number) => ({
    path,
    action: 'core/wait',
    status: status as 'succeeded',
    attempts: 1,
    started_at: at,
    ended_at: new Date(Date.parse(at) + seconds * 1000).toISOString(),
  })
  const run = {
    record: {
      run_id: 'run_1',
      status: 'running' as const,
      started_at: at,
      steps: [
        { path: 'hosts', action: 'block', status: 'running' as const, attempts: 3, started_at: at },
        ended('hosts[0]/look', 'succeeded', 1),
        ended('hosts[0]/act', 'succeeded', 1),
        { ...ended('hosts[1]/look', 'failed', 3), error: { code: 'HttpRefused' as const, message: 'no' } },
        ended('hosts[2]/look', 'succeeded', 2),
        {
          path: 'hosts[2]/act',
          action: 'core/approve',
          status: 'running' as const,
          attempts: 0,
          started_at: at,
        },
      ],
      questions: [{ path: 'hosts[2]/act', status: 'open' as const }],
    },
    events: [
      event({ type: 'items_counted', path: 'hosts', total: 3 }),
      ...[0, 1, 2].map((index) => event({ type: 'item_started', path: `hosts[${index}]` })),
      event({ type: 'item_finished', path: 'hosts[0]', status: 'succeeded' }),
      // A resume repeats the item that failed.
      event({ type: 'item_finished', path: 'hosts[1]', status: 'succeeded' }),
      event({ type: 'item_started', path: 'hosts[1]' }),
      event({ type: 'item_finished', path: 'hosts[1]', status: 'failed' }),
    ],
    nowMs: Date.parse(at) + 9000,
  }
  const graph = drawGraph(plan as Plan, run)
  const [hosts] = graph.box.parts
  expect(graph.run).toEqual({ run_id: 'run_1', started_at: at, as_of: '2026-01-01T00:00:09.000Z' })
  expect(hosts?.run).toEqual({
    status: 'waiting',
    calls: 3,
    duration_ms: 9000,
    items: { unit: 'items', total: 3, ended: { succeeded: 1, failed: 1 }, open: 1 },
  })
  expect(hosts?.parts.map((part) => part.run)).toEqual([
    {
      status: 'failed',
      calls: 3,
      duration_ms: 3000,
      times: { succeeded: 2, failed: 1 },
      error: { code: 'HttpRefused', message: 'no' },
    },
    { status: 'waiting', calls: 1, duration_ms: 9000, times: { succeeded: 1, waiting: 1 } },
  ])
  expect(writeMermaid(graph)).toContain('1 of 3 items succeeded, 1 failed, 1 running')
})
