import type { Lane } from './spans.ts'

/** Idle for longer than this is folded. */
const foldOverMs = 30_000
/** The part of the width that a folded stretch has. */
const foldedPart = 0.025

/** A stretch in which no step worked. */
export interface Gap {
  readonly from: number
  readonly to: number
}

/** Where times stand, from 0 to 100. */
export interface TimeScale {
  readonly from: number
  readonly to: number
  /** The idle stretches that are folded. */
  readonly gaps: readonly Gap[]
  at(time: number): number
}

/** A scale for the lanes, or for the selected part of them. */
export function createScale(lanes: readonly Lane[], selected?: Gap): TimeScale {
  const from = selected?.from ?? Math.min(...lanes.map((lane) => lane.from))
  const to = Math.max(from + 1, selected?.to ?? Math.max(...lanes.map((lane) => lane.to)))
  const gaps = gapsOf(lanes, from, to)
  const folded = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0)
  const gapWidth = Math.min(foldedPart, 0.5 / Math.max(1, gaps.length))
  const perMs = (1 - gaps.length * gapWidth) / Math.max(1, to - from - folded)
  const at = (time: number): number => {
    const bounded = Math.min(Math.max(time, from), to)
    let position = (bounded - from) * perMs
    for (const gap of gaps) {
      if (bounded <= gap.from) break
      const inside = Math.min(bounded, gap.to) - gap.from
      position += (gapWidth * inside) / (gap.to - gap.from) - inside * perMs
    }
    return Math.round(position * 100_000) / 1000
  }
  return { from, to, gaps, at }
}

function gapsOf(lanes: readonly Lane[], from: number, to: number): readonly Gap[] {
  const outer = lanes.filter(
    ({ path }) =>
      !lanes.some((other) => other.path.startsWith(`${path}/`) || other.path.startsWith(`${path}[`)),
  )
  const worked = outer.flatMap(workOf).sort((one, other) => one.from - other.from)
  const gaps: Gap[] = []
  let last = from
  for (const span of [...worked, { from: to, to }]) {
    const gap = { from: Math.max(last, from), to: Math.min(span.from, to) }
    if (gap.to - gap.from > foldOverMs) gaps.push(gap)
    last = Math.max(last, span.to)
  }
  return gaps
}

/** From this part on, what items did is no work. */
const allWaited = 0.995

/** What is left of a lane without its waits. While one item of a loop works, the loop does. */
function workOf({ from, to, waits, items }: Lane): readonly Gap[] {
  const left: Gap[] = []
  let last = from
  const ofItems = (items?.shares ?? []).filter(
    ({ parts }) => parts.reduce((sum, [, part]) => sum + part, 0) >= allWaited,
  )
  for (const wait of [...waits, ...ofItems].sort((one, other) => one.from - other.from)) {
    if (wait.from > last) left.push({ from: last, to: wait.from })
    last = Math.max(last, wait.to)
  }
  if (to > last) left.push({ from: last, to })
  return left
}
