import type { People } from '../../src/core/people/index.ts'
import type { KnownConnections, KnownHooks } from '../../src/load/index.ts'

/** A runbook and what must be found in it. One of `runbook`, `body` and `step` is given. */
export interface LoadCase {
  readonly name: string
  /** The whole text. */
  readonly runbook?: string
  /** The text after the first two lines, which say version and name. */
  readonly body?: string
  /** A line that ends the text as often as this; "#" in it is its number. */
  readonly repeated?: { readonly line: string; readonly times: number }
  /** Keys of one step with the id x, which begin in line 6; the runbook has the inputs below. */
  readonly step?: string
  /** Runbooks that it can run, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** Modules with actions that are not loaded. */
  readonly notLoaded?: readonly string[]
  /** The hooks of the project. Left out: they are not known. */
  readonly hooks?: KnownHooks
  /** The names under `notify` of the project. Left out: they are not known. */
  readonly notifyNames?: readonly string[]
  /** Who may answer in the project. Left out: it is not known. */
  readonly people?: People
  /** Whether the project has a public address. Left out: it is not known. */
  readonly hasPublicUrl?: boolean
  /** The connections that steps can name, by their types. */
  readonly connections?: KnownConnections
  /** `CODE line:column` of each finding, in order; of one about a file that it runs, with the name of that. */
  readonly findings: readonly string[]
  /** Hints of the findings that have one, in order, as far as listed. */
  readonly hints?: readonly string[]
  /** Messages of the findings, in order. */
  readonly messages?: readonly string[]
  /** Severities of the findings, in order. */
  readonly severities?: readonly string[]
  /** Paths of the findings. */
  readonly paths?: readonly string[]
}

const head = 'apiVersion: opsbook/v1\nname: a\n'

const inputs =
  'inputs: { type: object, required: [host, count, hosts], properties: { host: { type: string }, ' +
  'count: { type: integer }, hosts: { type: array, items: { type: string } }, maybe: { type: string }, ' +
  'mode: { type: string, enum: [fast, slow], default: fast } } }\n'

/** The text of a case. */
export function runbookOf({ name, runbook, body, step, repeated }: LoadCase): string {
  if (runbook !== undefined) return runbook
  const { line, times } = repeated ?? { line: '', times: 0 }
  const lines = Array.from({ length: times }, (_, at) => `${line.replaceAll('#', String(at + 1))}\n`)
  if (body !== undefined) return head + body + lines.join('')
  if (step === undefined) throw new Error(`the case "${name}" has no runbook`)
  const keys = step.replace(/^(?=.)/gm, '    ')
  return `${head}${inputs}steps:\n  - id: x\n${keys}`
}
