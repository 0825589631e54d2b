import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { CallWindows } from '../../src/core/action.ts'
import type { RunEvent } from '../../src/core/events.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import type { RecordedEvent } from '../../src/core/record/index.ts'
import { parseDuration } from '../../src/core/times/duration.ts'
import { usualStartMs as startMs } from '../../src/testing/index.ts'
import { createRunView, type LiveRunView, type RunViewState } from '../../src/view/run/index.ts'
import { loadCase } from '../core/play-case.ts'

interface ViewCase {
  readonly name: string
  readonly steps: string
  readonly events: readonly (RunEvent & { readonly after?: string; readonly each?: number })[]
  readonly state?: RunViewState
  /** How often each action may be called. @default not known */
  readonly windows?: Readonly<Record<string, CallWindows>>
  readonly look: string
  readonly head?: JsonObject
  /** All nodes. */
  readonly paths?: readonly string[]
  readonly nodes?: Readonly<Record<string, JsonObject>>
  /** What the filter `tolerated` shows of loops. */
  readonly tolerated?: Readonly<Record<string, readonly JsonObject[]>>
  /** Facts that a loop or a node does not have. */
  readonly without?: Readonly<Record<string, readonly string[]>>
}

const folder = new URL('../cases/view/', import.meta.url)
const files = readdirSync(folder)

describe.each(files)('%s', (file) => {
  const cases = parse(readFileSync(new URL(file, folder), 'utf8')) as readonly ViewCase[]

  it.each(cases)('$name', (viewCase) => {
    const events = eventsOf(viewCase)
    const live = viewOf(viewCase)
    for (const event of events) live.take(event)
    if (viewCase.state) live.takeState(viewCase.state)
    const view = live.view(startMs + milliseconds(viewCase.look))
    const nodes = new Map(view.nodes.map((node) => [node.path, node]))

    if (viewCase.head) expect(view.head).toMatchObject(withTimes(viewCase.head) as object)
    if (viewCase.paths) expect([...nodes.keys()]).toEqual(viewCase.paths)
    for (const [path, node] of Object.entries(viewCase.nodes ?? {}))
      expect(nodes.get(path)).toMatchObject(withTimes(node) as object)
    for (const [path, items] of Object.entries(viewCase.tolerated ?? {}))
      expect(live.items(path, startMs, { status: ['tolerated'] })).toMatchObject({ items })
    for (const [path, fields] of Object.entries(viewCase.without ?? {}))
      for (const field of fields)
        expect({ ...nodes.get(path), ...nodes.get(path)?.loop }).not.toHaveProperty(field)
    expect(JSON.parse(JSON.stringify(view))).toEqual(view)
  })
})

function viewOf({ steps, windows = {} }: ViewCase): LiveRunView {
  const { plan, findings } = loadCase({ name: '', runbook: `steps:\n${steps}` })
  if (!plan) throw new Error(findings.join(', '))
  return createRunView({ run_id: 'run_1', runbook: 'test', plan }, { windowsOf: (action) => windows[action] })
}

function eventsOf({ events }: ViewCase): readonly RecordedEvent[] {
  return events
    .flatMap(({ each = 1, ...event }) =>
      Array.from({ length: each }, (_, index) => replaced(event as unknown as JsonObject, index)),
    )
    .map(({ after = '0s', until, ...event }, index) => {
      const at = new Date(startMs + milliseconds(String(after))).toISOString()
      const time = until === undefined ? {} : { until: startMs + milliseconds(String(until)) }
      return { seq: index + 1, event: { ...event, ...time, run_id: 'run_1', at } } as unknown as RecordedEvent
    })
}

function replaced(event: JsonObject, index: number): JsonObject {
  return JSON.parse(JSON.stringify(event).replaceAll('#', String(index))) as JsonObject
}

const times = new Set(['started_at', 'ended_at', 'last_at', 'since', 'until', 'expected_end'])

/** Durations since the beginning as times. */
function withTimes(value: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(value, (key, one: JsonValue) =>
      times.has(key) ? new Date(startMs + milliseconds(String(one))).toISOString() : one,
    ),
  ) as JsonValue
}

function milliseconds(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new Error(`"${text}" is no duration`)
  return ms
}
