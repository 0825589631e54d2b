/** Draws a runbook or a run as boxes in boxes, and writes the drawing. Pure: no Node, no clock, no terminal. */
export { drawGraph, type GraphRun } from './draw-graph.ts'
export type { Box } from './graph.ts'
export { maskGraph } from './mask-graph.ts'
export { mermaidLimits, writeMermaid } from './mermaid/write-mermaid.ts'
export { placesOfSteps, type StepPlace, writeSvg } from './svg/write-svg.ts'
