/** One recorded or open run: its document, its drawing, and what follows it. */
export { drawRun } from './draw-run.ts'
export { partOf, type RunJournal } from './part-of-run.ts'
export {
  adviceOf,
  failureIn,
  isLastFailure,
  readShowDocument,
  readStepDocument,
  readTextOfRun,
  showDocument,
  withUnknownOutcomes,
} from './show-document.ts'
export { type JournalPage, readItemView, type WatchedRun, watchRun } from './watch-run.ts'
