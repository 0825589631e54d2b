import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import { cut } from '../../text/index.ts'
import { factTexts, headText, isPart, kindText, lineText, runText } from '../box-words.ts'
import type { Box, BoxStatus } from '../graph.ts'
import { statusColors } from '../status-colors.ts'
import { type Block, type BlockPlace, beside, flow, gaps, n, stack } from './block.ts'
import { statusMark } from './status-mark.ts'
import { type Font, fontSizes } from './theme.ts'

/** Branches stand in rows no wider than this, and the steps of a runbook in columns no higher. In pixels. */
const most = { row: 1150, column: 1500 } as const
/** Of a line, in columns of text. */
const mostColumns: Readonly<Record<Font, number>> = { title: 46, label: 46, name: 46, code: 52, state: 54 }

/** A box with everything inside it. `onPlace` is called where a box is drawn, first for those inside it. */
export function boxBlock(box: Box, depth: number, onPlace?: OnPlace): Block {
  const lines = linesOf(box, depth)
  const inner = box.parts.map((part) => boxBlock(part, depth + 1, onPlace))
  const parts =
    box.order === 'sequence'
      ? depth === 0
        ? flow(inner, most.column)
        : stack(inner, gaps.arrow, true)
      : beside(inner, most.row)
  const handlers = box.handlers.map((handler) => boxBlock(handler, depth + 1, onPlace))
  const inside = stack([...(inner.length > 0 ? [parts] : []), ...handlers], gaps.padding, false)
  const isLeaf = inside.height === 0
  const head = { width: Math.max(...lines.map(({ width }) => width)), height: heightOf(lines) }
  const edge = isLeaf ? { x: 14, y: 9 } : { x: gaps.padding, y: 12 }
  const behind = box.loop ? loopEdge * 2 : 0
  return {
    width: Math.max(head.width, inside.width) + 2 * edge.x + behind,
    height: head.height + (isLeaf ? 0 : inside.height + gaps.padding) + 2 * edge.y + behind,
    draw({ x, y, width, height }) {
      const own = { x, y, width: width - behind, height: height - behind }
      const top = y + edge.y + head.height + (isLeaf ? 0 : gaps.padding)
      const drawnInside = isLeaf
        ? []
        : inside.draw({ x: x + edge.x, y: top, width: own.width - 2 * edge.x, height: inside.height })
      onPlace?.(box, own)
      return [
        `<g${isIdle(box) ? ' opacity="0.62"' : ''}>`,
        `<title>${escapeXml(tooltip(box))}</title>`,
        ...(box.loop ? [frame(box, depth, moved(own, 2)), frame(box, depth, moved(own, 1))] : []),
        frame(box, depth, own),
        ...(isLeaf ? [stripe(box, own)] : []),
        ...drawLines(lines, x + edge.x, y + edge.y),
        '</g>',
        ...drawnInside,
      ]
    },
  }
}

type OnPlace = (box: Box, place: BlockPlace) => void

/** A loop shows the edges of two more boxes behind its own. */
const loopEdge = 4

function moved({ x, y, width, height }: BlockPlace, by: number): BlockPlace {
  return { x: x + by * loopEdge, y: y + by * loopEdge, width, height }
}

function isIdle({ run }: Box): boolean {
  return run !== undefined && statusColors[run.status] === 'idle'
}

function frame(box: Box, depth: number, { x, y, width, height }: BlockPlace): string {
  const isLeaf = box.parts.length + box.handlers.length === 0
  const fill = depth === 0 ? 'page' : isLeaf ? 'leaf' : depth % 2 === 0 ? 'odd' : 'even'
  const state =
    box.run && depth > 0 && !isIdle(box) && !isPart(box) ? statusColors[box.run.status] : undefined
  const line = depth === 0 ? '' : state === undefined ? ' line' : ` on-${state}`
  const dashes = box.kind === 'catch' || box.kind === 'finally' ? ' stroke-dasharray="5 4"' : ''
  return `<rect class="${fill}${line}" x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="${isLeaf ? 7 : 10}"${dashes}/>`
}

/** The left edge of a call, in the color of what it may change. */
function stripe({ action, safety }: Box, { x, y, height }: BlockPlace): string {
  if (safety === undefined) return ''
  const names = { read: 'reads', idempotent: 'writes', create: 'creates', local: 'local' } as const
  const name = action === 'core/approve' ? 'asks' : names[safety]
  return `<rect class="${name}" x="${n(x + 4)}" y="${n(y + 7)}" width="3.5" height="${n(height - 14)}" rx="1.75"/>`
}

interface Line {
  readonly font: Font
  readonly text: string
  readonly width: number
  /** The line stands beside the mark of a state, in its color. */
  readonly state?: { readonly status: BoxStatus; readonly hasMark: boolean }
}

function linesOf(box: Box, depth: number): readonly Line[] {
  const { run, name = '' } = box
  const isShown = run !== undefined && !isPart(box) && run.status !== 'pending'
  return [
    ...(depth === 0 ? titleLines(box) : [...lines('label', headText(box), 1), ...lines('name', name, 2)]),
    ...lines('code', kindText(box), 1),
    ...factTexts(box).flatMap((text) => lines('code', text, 2)),
    ...(isShown ? stateLines(run) : []),
  ]
}

function titleLines({ name, label }: Box): readonly Line[] {
  return name === undefined
    ? lines('title', label, 1)
    : [...lines('title', name, 2), ...lines('code', label, 1)]
}

/** What became of a box: the mark of its state, and the words beside it. */
function stateLines(run: NonNullable<Box['run']>): readonly Line[] {
  return lines('state', runText(run), 2).map((line, index) => ({
    ...line,
    width: line.width + markWidth,
    state: { status: run.status, hasMark: index === 0 },
  }))
}

const markWidth = 20

/** A text as at most so many lines; the last of them is cut. */
function lines(font: Font, text: string, most: number): readonly Line[] {
  const columns = mostColumns[font]
  const whole = cut(lineText(text), columns * most)
  if (whole === '') return []
  const wrapped = wrapAnsi(whole, columns, { hard: true }).split('\n')
  const last = cut(wrapped.slice(most - 1).join(' '), columns)
  const shown = wrapped.length <= most ? wrapped : [...wrapped.slice(0, most - 1), last]
  return shown.map((one) => ({ font, text: one, width: textWidth(one, font) }))
}

const leading = 5.5

function heightOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { font }) => sum + fontSizes[font] + leading, 0)
}

function drawLines(lines: readonly Line[], x: number, y: number): readonly string[] {
  let top = y
  return lines.map(({ font, text, state }) => {
    const baseline = top + fontSizes[font] * 0.88 + leading / 2
    top += fontSizes[font] + leading
    const write = (names: string, left: number): string =>
      `<text class="${names}" x="${n(left)}" y="${n(baseline)}">${escapeXml(text)}</text>`
    if (!state) return write(font, x)
    const mark = state.hasMark ? statusMark(state.status, x + 7, baseline - fontSizes[font] * 0.36) : ''
    return mark + write(`${font} is-${statusColors[state.status]}`, x + markWidth)
  })
}

const tooltipCharacters = 600

/** Everything that is known of a box, also what its lines cut. */
function tooltip(box: Box): string {
  const texts = [
    box.path === '' ? box.label : box.path,
    box.name ?? '',
    kindText(box),
    ...box.facts.map(({ label, text }) => `${label} ${text}`),
    box.run && !isPart(box) ? runText(box.run) : '',
    box.run?.error?.message ?? '',
  ]
  return texts
    .map(lineText)
    .filter((text) => text !== '')
    .map((text) => cut(text, tooltipCharacters))
    .join('\n')
}

export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** About how wide a text is in pixels, whatever fonts the viewer has: rather too wide than too narrow. */
function textWidth(text: string, font: Font): number {
  const size = fontSizes[font]
  if (font === 'code') return stringWidth(text) * size * 0.61
  const [wide, widest] = [wideLetters, widestLetters].map((letters) => text.match(letters)?.length ?? 0)
  return (stringWidth(text) * (font === 'name' ? 0.6 : 0.66) + (wide ?? 0) * 0.2 + (widest ?? 0) * 0.5) * size
}

/** Letters that are wider than most, in a font whose letters differ. */
const wideLetters = /[A-LN-VX-Zmw&]/g
const widestLetters = /[MW@%]/g
