import { useSignal } from '@preact/signals'
import type { TargetedPointerEvent, VNode } from 'preact'
import type { Lane, Share, SpanKind } from './spans.ts'
import type { Gap, TimeScale } from './time-scale.ts'

/** The box of a bar, from its top. */
const [top, height] = [2, 12]

/**
 * A step as a bar; its waits are patterns over it. Where they are those of many items, each pattern is as high as its part
 * of them. Dragging selects a part of the time.
 */
export function LaneBar({
  lane,
  scale,
  select,
}: {
  readonly lane: Lane
  readonly scale: TimeScale
  readonly select: (range: Gap) => void
}): VNode {
  const drag = useSignal<readonly [number, number] | undefined>(undefined)
  const part = ({ currentTarget, clientX }: TargetedPointerEvent<SVGSVGElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.min(100, Math.max(0, (100 * (clientX - left)) / width))
  }
  const finish = (): void => {
    const [one, other] = drag.value ?? [0, 0]
    drag.value = undefined
    if (Math.abs(one - other) > 1) select(timesBetween(scale, Math.min(one, other), Math.max(one, other)))
  }
  const { from, to, waits, items } = lane
  return (
    <svg
      width="100%"
      height="16"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        drag.value = [part(event), part(event)]
      }}
      onPointerMove={(event) => {
        if (drag.value !== undefined) drag.value = [drag.value[0], part(event)]
      }}
      onPointerUp={finish}
    >
      <rect class="span working" y={top} height={height} rx="2" {...widthOf(scale, from, to)} />
      {items?.shares.flatMap((share) =>
        stackOf(share).map(({ kind, ...box }) => (
          <rect
            key={`${kind}${share.from}`}
            class={`span ${kind}`}
            {...box}
            {...widthOf(scale, share.from, share.to)}
          />
        )),
      )}
      {waits.map((wait) => (
        <rect
          key={`${wait.kind}${wait.from}`}
          class={`span ${wait.kind}`}
          y={top}
          height={height}
          {...widthOf(scale, wait.from, wait.to)}
        />
      ))}
      {scale.gaps.map((gap) => (
        <rect key={gap.from} class="gap" height="16" {...widthOf(scale, gap.from, gap.to)} />
      ))}
      {drag.value === undefined ? null : (
        <rect
          class="drag"
          height="16"
          x={`${Math.min(...drag.value)}%`}
          width={`${Math.abs(drag.value[0] - drag.value[1])}%`}
        />
      )}
    </svg>
  )
}

/** Where a stretch of time is. A short one can be seen, too. */
function widthOf(scale: TimeScale, from: number, to: number): { readonly x: string; readonly width: string } {
  const x = scale.at(from)
  return { x: `${x}%`, width: `${Math.max(0.15, scale.at(to) - x)}%` }
}

/** The parts of a stretch from the top down; what is left shows the work behind them. */
function stackOf({
  parts,
}: Share): readonly { readonly kind: SpanKind; readonly y: number; readonly height: number }[] {
  let y = top
  return parts.map(([kind, part]) => {
    const box = { kind, y, height: Math.round(100 * height * part) / 100 }
    y += box.height
    return box
  })
}

/** The times at two places of the scale, which rises. */
function timesBetween(scale: TimeScale, one: number, other: number): Gap {
  const timeAt = (place: number): number => {
    let [low, high] = [scale.from, scale.to]
    while (high - low > 1) {
      const middle = (low + high) / 2
      if (scale.at(middle) < place) low = middle
      else high = middle
    }
    return low
  }
  return { from: timeAt(one), to: timeAt(other) }
}
