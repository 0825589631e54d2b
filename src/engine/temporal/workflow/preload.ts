/** The code that all workflows of a worker share: loaded once, before the first of them, and never changed. */
export * from './index.ts'

// The SDK records a stack trace for every promise. That takes most of the time of a step, and the traces of an interpreter
// show nothing of the runbook.
Error.stackTraceLimit = 0
