import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { figure } from '../../parts/numbers.ts'
import { type Cell, type CellRun, cellWords, readCells } from './cells.ts'

const gap = 1

/** Every item as a cell of one canvas. The table below is the same for those who do not see it. */
export function CellField({
  cells,
  total,
  select,
}: {
  readonly cells: string
  readonly total: number
  readonly select: (index: number) => void
}): VNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = total > 4000 ? 6 : total > 400 ? 9 : 14
  useEffect(() => {
    const element = canvas.current
    if (element === null) return undefined
    const draw = (): void => drawCells(element, readCells(cells), total, size)
    draw()
    const watcher = new ResizeObserver(draw)
    watcher.observe(element.parentElement ?? element)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', draw)
    return () => {
      watcher.disconnect()
      dark.removeEventListener('change', draw)
    }
  }, [cells, total, size])
  const indexAt = (event: MouseEvent & { readonly currentTarget: HTMLCanvasElement }): number | undefined => {
    const { left, top, width } = event.currentTarget.getBoundingClientRect()
    const across = Math.max(1, Math.floor(width / (size + gap)))
    const column = Math.floor((event.clientX - left) / (size + gap))
    const index = Math.floor((event.clientY - top) / (size + gap)) * across + column
    return column < across && index < total ? index : undefined
  }
  return (
    <div class="field">
      <p class="legend">
        {[...countsOf(cells)].map(([cell, count]) => (
          <span key={cell}>
            <svg width="10" height="10" aria-hidden="true">
              <rect class={`cell ${cellWords[cell]}`} width="10" height="10" />
            </svg>
            {figure(count)} {cellWords[cell]}
          </span>
        ))}
      </p>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`One cell for each of ${total} items. The table below is the same as text.`}
        onClick={(event) => {
          const index = indexAt(event)
          if (index !== undefined) select(index)
        }}
        onPointerMove={(event) => {
          const index = indexAt(event)
          event.currentTarget.title = index === undefined ? '' : `item ${index}`
        }}
      />
    </div>
  )
}

function countsOf(cells: string): ReadonlyMap<Cell, number> {
  const counts = new Map<Cell, number>()
  for (const { cell, count } of readCells(cells)) counts.set(cell, (counts.get(cell) ?? 0) + count)
  return counts
}

function drawCells(canvas: HTMLCanvasElement, runs: readonly CellRun[], total: number, size: number): void {
  const width = canvas.parentElement?.clientWidth ?? 0
  const across = Math.max(1, Math.floor(width / (size + gap)))
  const height = Math.ceil(total / across) * (size + gap)
  const scale = devicePixelRatio
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.style.setProperty('height', `${height}px`)
  const context = canvas.getContext('2d')
  if (context === null) return
  context.scale(scale, scale)
  const colors = colorsOf(canvas)
  let index = 0
  for (const { cell, count } of runs) {
    context.fillStyle = colors[cell]
    const inset = cell === 'p' ? size / 3 : 0
    for (const end = Math.min(index + count, total); index < end; index++) {
      const x = (index % across) * (size + gap)
      const y = Math.floor(index / across) * (size + gap)
      context.fillRect(x + inset, y + inset, size - 2 * inset, size - 2 * inset)
    }
  }
}

function colorsOf(element: Element): Readonly<Record<Cell, string>> {
  const style = getComputedStyle(element)
  const color = (name: string): string => style.getPropertyValue(`--cell-${name}`).trim() || 'gray'
  return {
    s: color('succeeded'),
    f: color('failed'),
    k: color('skipped'),
    c: color('cancelled'),
    u: color('unknown'),
    r: color('running'),
    p: color('pending'),
  }
}
