/** Rectangles that are measured first, and drawn when their place is known. No text is broken by its place. */

/** A part of a drawing with its smallest size in pixels. */
export interface Block {
  readonly width: number
  readonly height: number
  /** Draws itself into a place that is at least as large as it is. */
  draw(place: BlockPlace): readonly string[]
}

export interface BlockPlace {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const gaps = { arrow: 24, lane: 16, column: 44, padding: 14 } as const

/** Blocks one under another, all as wide as the widest, with arrows between them if they follow one another. */
export function stack(blocks: readonly Block[], gap: number, hasArrows: boolean): Block {
  return {
    width: Math.max(0, ...blocks.map(({ width }) => width)),
    height: blocks.reduce((sum, { height }) => sum + height, Math.max(0, blocks.length - 1) * gap),
    draw({ x, y, width }) {
      let top = y
      return blocks.flatMap((block, index) => {
        const own = { x, y: top, width, height: block.height }
        const before = hasArrows && index > 0 ? [arrow(x + width / 2, top - gap, top)] : []
        top += block.height + gap
        return [...before, ...block.draw(own)]
      })
    },
  }
}

/** Blocks beside one another, in as many rows as they need to be no wider than this. */
export function beside(blocks: readonly Block[], mostWidth: number): Block {
  const rows: Block[][] = []
  let width = 0
  for (const block of blocks) {
    const row = rows.at(-1)
    width += block.width + gaps.lane
    if (row && width - gaps.lane <= mostWidth) row.push(block)
    else {
      rows.push([block])
      width = block.width + gaps.lane
    }
  }
  return stack(rows.map(rowOf), gaps.lane, false)
}

/** Blocks beside one another, as high as the highest, which share the width that is left. */
function rowOf(blocks: readonly Block[]): Block {
  const between = Math.max(0, blocks.length - 1) * gaps.lane
  const own = blocks.reduce((sum, block) => sum + block.width, between)
  return {
    width: own,
    height: Math.max(0, ...blocks.map(({ height }) => height)),
    draw({ x, y, width, height }) {
      const more = (width - own) / Math.max(1, blocks.length)
      let left = x
      return blocks.flatMap((block) => {
        const place = { x: left, y, width: block.width + more, height }
        left += place.width + gaps.lane
        return block.draw(place)
      })
    },
  }
}

/** Blocks that follow one another, in columns where one column would be higher than this. */
export function flow(blocks: readonly Block[], mostHeight: number): Block {
  const whole = stack(blocks, gaps.arrow, true)
  if (whole.height <= mostHeight) return whole
  const target = whole.height / Math.ceil(whole.height / mostHeight)
  const columns: Block[][] = [[]]
  let height = 0
  for (const block of blocks) {
    const last = columns.at(-1) ?? []
    if (last.length > 0 && height + block.height / 2 > target) {
      columns.push([block])
      height = 0
    } else last.push(block)
    height += block.height + gaps.arrow
  }
  const stacks = columns.map((column) => stack(column, gaps.arrow, true))
  return {
    width: stacks.reduce((sum, { width }) => sum + width, (stacks.length - 1) * gaps.column),
    height: Math.max(...stacks.map((one) => one.height)) + 2 * bend,
    draw({ x, y }) {
      let left = x
      return stacks.flatMap((one, index) => {
        const drawn = one.draw({ x: left, y: y + bend, width: one.width, height: one.height })
        const next = stacks[index + 1]
        const from = { x: left + one.width / 2, y: y + bend + one.height }
        left += one.width + gaps.column
        if (!next) return drawn
        const middle = left - gaps.column / 2
        const to = { x: left + next.width / 2, y: y + bend }
        return [
          ...drawn,
          `<path class="arrow" fill="none" d="M${n(from.x)} ${n(from.y)}v${bend - 6}H${n(middle)}V${n(to.y - bend + 6)}H${n(to.x)}V${n(to.y - 5)}"/>`,
          arrowHead(to.x, to.y),
        ]
      })
    },
  }
}

/** How far above and below two columns the line between them bends. */
const bend = 20

function arrow(x: number, from: number, to: number): string {
  return `<path class="arrow" d="M${n(x)} ${n(from + 3)}V${n(to - 5)}"/>${arrowHead(x, to)}`
}

function arrowHead(x: number, y: number): string {
  return `<path class="head" d="M${n(x - 4)} ${n(y - 8)}h8l-4 6z"/>`
}

/** A number of pixels, short and the same everywhere. */
export function n(pixels: number): string {
  return String(Math.round(pixels * 10) / 10)
}
