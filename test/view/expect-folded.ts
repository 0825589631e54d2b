import { expect } from 'vitest'
import type { RecordedEvent } from '../../src/core/record/index.ts'
import { createRunView, type LiveRunView, type RunView, type StepNode } from '../../src/view/run/index.ts'
import type { RunCase } from '../conformance/run-case.ts'
import { type RecordedCase, runOfCase } from './run-of-case.ts'

const viewOf = ({ plan }: RecordedCase, inside?: string): LiveRunView =>
  createRunView({ run_id: 'run_1', runbook: plan.name, plan }, inside === undefined ? {} : { inside })

/** Expects that a played case is the same view in pieces as in one go, and says what the record says. */
export async function expectFolded(runCase: RunCase): Promise<void> {
  const played = await runOfCase(runCase)
  const { record, events, nowMs } = played.run
  const whole = viewOf(played)
  for (const event of events) whole.take(event)
  const view = whole.view(nowMs)

  // A screen that gets what has changed after every event, every third, and after each run of events of random length.
  for (const step of [1, 3, 7]) expect(folded(played, [...events], step, nowMs)).toEqual(view)

  for (const { path: inside } of view.nodes.filter(({ kind }) => kind === 'item')) {
    const item = viewOf(played, inside)
    for (const event of events) item.take(event)
    const { nodes } = item.view(nowMs)
    const around = view.nodes.filter(({ path }) => path.startsWith(`${inside}/`))
    const [known, more] = [around.map(({ path }) => path), nodes.filter(({ kind }) => kind === 'item')]
    expect(nodes.filter(({ path }) => known.includes(path)).map(facts)).toEqual(around.map(facts))
    expect(nodes.filter(({ path }) => !known.includes(path) && !path.includes('[', inside.length))).toEqual(
      [],
    )
    expect(more.every(({ parent }) => nodes.some(({ path }) => path === parent))).toBe(true)
  }

  expect(view.head.status).toBe(record.status)
  const records = new Map(record.steps.map((one) => [one.path, one]))
  const known = view.nodes.filter(({ path }) => records.has(path))
  expect(known.map(facts)).toEqual(known.map(({ path }) => facts(records.get(path) as Shown)))
  const outside = record.steps.filter(({ path }) => !path.includes('['))
  expect(outside.filter(({ path }) => !known.some((node) => node.path === path))).toEqual([])
}

/** The view that a screen has in the end, from what changed with every so many events. */
function folded(
  played: RecordedCase,
  events: readonly RecordedEvent[],
  step: number,
  nowMs: number,
): RunView {
  const live = viewOf(played)
  let shown: RunView = live.view(nowMs)
  for (let from = 0; from < events.length; from += step) {
    for (const event of events.slice(from, from + step)) live.take(event)
    shown = merged(shown, live.view(nowMs, shown.seq))
  }
  const order = live.view(nowMs).nodes.map(({ path }) => path)
  return { ...shown, nodes: shown.nodes.toSorted((a, b) => order.indexOf(a.path) - order.indexOf(b.path)) }
}

function merged(before: RunView, now: RunView): RunView {
  if (now.is_whole) return now
  const nodes = new Map([...before.nodes, ...now.nodes].map((node) => [node.path, node]))
  return { ...now, is_whole: true, nodes: [...nodes.values()] }
}

type Shown = Pick<
  StepNode,
  'path' | 'status' | 'attempts' | 'branch' | 'is_warning' | 'condition' | 'started_at' | 'ended_at'
> & {
  readonly error?: { readonly code: string; readonly message: string }
  readonly caught?: { readonly code: string }
}

function facts(shown: Shown): object {
  const { path, status, attempts, branch, is_warning, condition, started_at, ended_at, error, caught } = shown
  const failure = error && { code: error.code, message: error.message.slice(0, 100) }
  return {
    ...{ path, status, attempts, branch, is_warning, condition, ended_at },
    started_at: path.includes('[') ? undefined : started_at,
    error: failure,
    caught: caught?.code,
  }
}
