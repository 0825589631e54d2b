/** Loading: YAML text and a table of actions in, a plan and diagnostics with positions out. */

export type { ReadFile } from './compile/children.ts'
export { compileAlone } from './compile/template.ts'
export {
  type Diagnostic,
  type DiagnosticCode,
  diagnosticRules,
  type Position,
  type Range,
} from './diagnostic.ts'
export { type CheckedInputs, checkInputs } from './inputs/check-inputs.ts'
export type { ConnectionType, KnownConnections } from './known-connections.ts'
export type { KnownHooks } from './known-hooks.ts'
export { type LoadOptions, type LoadResult, loadRunbook } from './load-runbook.ts'
