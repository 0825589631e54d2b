/** Runbooks that are loaded from their files, with their findings. */
export {
  checkRunInputs,
  howToGiveInputs,
  loadEach,
  loadPlan,
  loadRunbooks,
  nothingSent,
} from './load-runbooks.ts'
export { nameOfRunbook } from './name-of-runbook.ts'
export {
  diagnosticJson,
  firstFindings,
  nowhere,
  type PlacedFinding,
  printDiagnostic,
} from './print-diagnostic.ts'
