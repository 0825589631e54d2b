import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { durationText } from '../../../../view/text/index.ts'
import { clock } from '../../parts/clock.ts'
import { localTimeText } from '../../parts/moment.tsx'
import { Table } from '../../parts/table.tsx'
import type { LiveRun } from '../live-run.ts'
import { LaneBar } from './lane-bar.tsx'
import { type Lane, lanesOf, type SpanKind } from './spans.ts'
import { createScale, type Gap, type TimeScale } from './time-scale.ts'

const words: Readonly<Record<SpanKind, string>> = {
  working: 'working',
  'rate-limit': 'rate limit',
  target: 'target lock',
  retry: 'retry',
  person: 'person or event',
  paused: 'paused or waiting',
}

/** Where the time of a run went: a lane for each step, with its figures beside it. */
export function TimeTab({ live }: { readonly live: LiveRun }): VNode {
  const selected = useSignal<Gap | undefined>(undefined)
  const { ended_at } = live.head.value
  const now = ended_at === undefined ? clock.value : Date.parse(ended_at)
  const nodes = live.rows.value.map(({ path }) => live.node(path).value)
  const lanes = lanesOf(nodes, now)
  if (lanes.length === 0) return <p class="empty">Nothing has begun yet.</p>
  const scale = createScale(lanes, selected.value)
  const began = Math.min(...lanes.map(({ from }) => from))
  const depths = new Map(live.rows.value.map(({ path, depth }) => [path, depth]))
  const ids = new Map(nodes.map((node) => [node.path, node.item ?? node.id]))
  return (
    <section aria-label="Time">
      <Patterns />
      <Legend scale={scale} showAll={selected.value && (() => (selected.value = undefined))} />
      <Table
        kind="rows lanes"
        caption="The time of each step. Drag over a lane to look at a part of it."
        columns={[
          'Step',
          { unseen: 'Lane' },
          { figure: 'Begins at' },
          { figure: 'Took' },
          { figure: 'Waited' },
        ]}
      >
        {lanes.map((lane) => (
          <tr key={lane.path}>
            <th scope="row" class={`step depth-${Math.min(depths.get(lane.path) ?? 0, 7)}`} title={lane.path}>
              {ids.get(lane.path)}
            </th>
            <td class="lane">
              <LaneBar lane={lane} scale={scale} select={(range) => (selected.value = range)} />
            </td>
            <td class="figure dim">
              <span title={localTimeText(new Date(lane.from).toISOString())}>
                +{durationText(lane.from - began)}
              </span>
            </td>
            <td class="figure">{durationText(lane.to - lane.from)}</td>
            <td class="figure waited">{waitedText(lane)}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

/** What the patterns mean, and the time that is shown. `showAll`: only a part of it is. */
function Legend({
  scale: { from, to, gaps },
  showAll,
}: {
  readonly scale: TimeScale
  readonly showAll: (() => void) | undefined
}): VNode {
  return (
    <div class="legend">
      {(Object.keys(words) as SpanKind[]).map((kind) => (
        <span key={kind}>
          <svg width="22" height="12" aria-hidden="true">
            <rect class={`span ${kind}`} width="22" height="12" rx="2" />
          </svg>
          {words[kind]}
        </span>
      ))}
      {gaps.length === 0 ? null : (
        <span>
          <svg width="22" height="12" aria-hidden="true">
            <rect class="gap" width="22" height="12" />
          </svg>
          idle, folded: {gaps.map((gap) => durationText(gap.to - gap.from)).join(', ')}
        </span>
      )}
      <span class="push dim">
        {localTimeText(new Date(from).toISOString())}, {durationText(to - from)}
      </span>
      {showAll === undefined ? null : (
        <button type="button" onClick={showAll}>
          Show all of it
        </button>
      )}
    </div>
  )
}

function waitedText({ waited, items }: Lane): string {
  const own = [...waited].map(([kind, ms]) => `${durationText(ms)} ${words[kind]}`)
  const ofItems = (items?.waited ?? []).map(([kind, part]) => `${percentText(part)} ${words[kind]}`)
  return [own.join(', '), ofItems.length === 0 ? '' : `items: ${ofItems.join(', ')}`]
    .filter(Boolean)
    .join('; ')
}

function percentText(part: number): string {
  return part < 0.01 ? 'under 1%' : `${Math.round(100 * part)}%`
}

/** The patterns of the waits: told apart without colors. */
function Patterns(): VNode {
  return (
    <svg width="0" height="0" class="unseen" aria-hidden="true">
      <defs>
        <pattern id="rate-limit" width="6" height="6" patternUnits="userSpaceOnUse">
          <rect class="ground rate-limit" width="6" height="6" />
          <path class="ink rate-limit" d="M0 6 6 0M-1 1 1-1M5 7 7 5" />
        </pattern>
        <pattern id="target" width="6" height="6" patternUnits="userSpaceOnUse">
          <rect class="ground target" width="6" height="6" />
          <path class="ink target" d="M3 0v6M0 3h6" />
        </pattern>
        <pattern id="retry" width="5" height="6" patternUnits="userSpaceOnUse">
          <rect class="ground retry" width="5" height="6" />
          <path class="ink retry" d="M2.5 0v6" />
        </pattern>
        <pattern id="person" width="6" height="6" patternUnits="userSpaceOnUse">
          <rect class="ground person" width="6" height="6" />
          <circle class="dots person" cx="3" cy="3" r="1.4" />
        </pattern>
        <pattern id="paused" width="6" height="5" patternUnits="userSpaceOnUse">
          <rect class="ground paused" width="6" height="5" />
          <path class="ink paused" d="M0 2.5h6" />
        </pattern>
      </defs>
    </svg>
  )
}
