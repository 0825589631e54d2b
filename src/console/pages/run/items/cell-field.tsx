import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { LoopFacts } from '../../../../view/run/index.ts'
import { statusWord } from '../../../../view/text/index.ts'
import { figure } from '../../parts/numbers.ts'
import { type Cell, type CellRun, cellWords, readCells } from './cells.ts'

const gap = 1
/** Edges of cells, and the height of the field, in pixels. */
const sizes = [14, 9, 6, 4, 3, 2]
const mostHeight = 440

/** Every item as a cell of one canvas. The table below is the same for those who do not see it. */
export function CellField({
  loop: { cells, total, interrupted },
  select,
}: {
  readonly loop: Pick<LoopFacts, 'cells' | 'total' | 'interrupted'>
  readonly select: (index: number) => void
}): VNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useRef(14)
  useEffect(() => {
    const element = canvas.current
    if (element === null) return undefined
    const draw = (): void => {
      size.current = drawCells(element, readCells(cells), total)
    }
    draw()
    const watcher = new ResizeObserver(draw)
    watcher.observe(element.parentElement ?? element)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', draw)
    return () => {
      watcher.disconnect()
      dark.removeEventListener('change', draw)
    }
  }, [cells, total])
  const indexAt = (event: MouseEvent & { readonly currentTarget: HTMLCanvasElement }): number | undefined => {
    const { left, top, width } = event.currentTarget.getBoundingClientRect()
    const pitch = size.current + gap
    const across = Math.max(1, Math.floor(width / pitch))
    const column = Math.floor((event.clientX - left) / pitch)
    const index = Math.floor((event.clientY - top) / pitch) * across + column
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
            {figure(count)}{' '}
            {cell === 'r' && interrupted !== undefined ? 'interrupted' : statusWord(cellWords[cell])}
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

/** Draws all cells, and returns their size: the largest with which the field is not too high. */
function drawCells(canvas: HTMLCanvasElement, runs: readonly CellRun[], total: number): number {
  const width = canvas.parentElement?.clientWidth ?? 0
  const heightOf = (pitch: number): number =>
    Math.ceil(total / Math.max(1, Math.floor(width / pitch))) * pitch
  const size = sizes.find((one) => heightOf(one + gap) <= mostHeight) ?? sizes.at(-1) ?? 1
  const across = Math.max(1, Math.floor(width / (size + gap)))
  const height = Math.ceil(total / across) * (size + gap)
  const scale = devicePixelRatio
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.style.setProperty('height', `${height}px`)
  const context = canvas.getContext('2d')
  if (context === null) return size
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
  return size
}

function colorsOf(element: Element): Readonly<Record<Cell, string>> {
  const style = getComputedStyle(element)
  const colors = Object.entries(cellWords).map(([cell, word]) => [
    cell,
    style.getPropertyValue(`--cell-${word}`).trim() || 'gray',
  ])
  return Object.fromEntries(colors)
}
