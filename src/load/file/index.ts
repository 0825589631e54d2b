/** What is known of the file of a runbook before it is read, and the table of findings. It loads neither YAML nor the language. */
export { type Diagnostic, diagnosticRules } from '../diagnostic.ts'
export { runbookLimits } from '../limits.ts'
export { looksLikeRunbook } from '../looks-like-runbook.ts'
