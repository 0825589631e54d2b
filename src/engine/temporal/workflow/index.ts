/** The workflows that a worker registers: the bundle that is replayed begins here. */
export { opsbookRun } from './run-workflow.ts'
