/** What a yes covers: the writes that follow a question, sealed by their arguments. Pure: no clock, nothing is called. */
export type { CallsOfStep, CoveredCalls, Covers, ShownCall } from './covers.ts'
export {
  briefCoversLines,
  callsText,
  coversLines,
  coversTexts,
  effectTexts,
  openText,
} from './covers-lines.ts'
export { isWrite } from './gather-writes.ts'
export { keepNewestShown } from './keep-newest-shown.ts'
export type { PlannedCovers } from './plan-covers.ts'
