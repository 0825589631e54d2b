/** What all workflows of a worker share: it is loaded once, before the first of them, and nothing of it ever changes. */
export * from './index.ts'

// The SDK notes for every promise where it was made. Nobody reads that of an interpreter, and it takes most of the time
// that a step costs in the workflow.
Error.stackTraceLimit = 0
