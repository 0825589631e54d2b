/** Loading: YAML text and a table of actions in, a plan and diagnostics with positions out. */
export { type CheckedInputs, checkInputs } from './inputs/check-inputs.ts'
export { type LoadOptions, type LoadResult, loadRunbook } from './load-runbook.ts'
