import { lineText, runText } from '../box-words.ts'
import type { Graph } from '../graph.ts'
import { n } from './block.ts'
import { boxBlock, escapeXml } from './box-block.ts'
import { rootClass, styleSheet } from './theme.ts'

/**
 * Writes a graph as SVG: no script, no font and no address from outside, with a title for screen readers, and in the
 * colors of the reader's light or dark theme.
 */
export function writeSvg(graph: Graph): string {
  const { box, run } = graph
  const block = boxBlock(box, 0)
  const [width, height] = [Math.ceil(block.width), Math.ceil(block.height)]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="${rootClass}" role="img" aria-label="${escapeXml(titleOf(graph))}" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}">`,
    `<title>${escapeXml(titleOf(graph))}</title>`,
    ...(run ? [`<desc>${escapeXml(`${run.run_id}, started ${run.started_at}`)}</desc>`] : []),
    styleSheet(),
    ...block.draw({ x: 0, y: 0, width, height }),
    '</svg>',
    '',
  ].join('\n')
}

/** Where the boxes of steps stand in the drawing, in pixels: those inside others first. */
export function placesOfSteps({ box }: Graph): readonly StepPlace[] {
  const places: StepPlace[] = []
  const block = boxBlock(box, 0, ({ path, kind }, { x, y, width, height }) => {
    if (path !== '' && !['branch', 'catch', 'finally'].includes(kind))
      places.push({ path, rect: [x, y, x + width, y + height].map(Math.round) })
  })
  block.draw({ x: 0, y: 0, width: Math.ceil(block.width), height: Math.ceil(block.height) })
  return places
}

/** The corners of the box of a step. */
export interface StepPlace {
  readonly path: string
  readonly rect: readonly number[]
}

function titleOf({ box, run }: Graph): string {
  const what = `Runbook ${lineText(box.label)}`
  return run && box.run ? `${what}, run ${run.run_id}: ${lineText(runText(box.run))}` : what
}
