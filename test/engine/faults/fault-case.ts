import { readdirSync, readFileSync } from 'node:fs'
import type { JsonObject, JsonValue } from 'opsbook'
import { type OperationMethod, operations } from 'opsbook/api'
import { parse } from 'yaml'
import type { MarkedCase } from '../../support/smoke.ts'

/** One row of the fault list: a fault, and its result for each operation. */
export interface FaultCase {
  readonly fault: string
  /** The operations on which `npm test` tries it: one for each way in which it ends. */
  readonly smoke: readonly string[]
  /** The operations it is tried on; left out: all of them. */
  readonly operations?: readonly string[]
  /** A rule of the sandbox without its operation. */
  readonly rule?: JsonObject
  /** One case for each; in the outcomes CODE stands for it. */
  readonly codes?: readonly string[]
  /**
   * The part of the rule that a code is put into.
   * @default 'error'
   */
  readonly as?: 'error' | 'target_error' | 'tool_error'
  /** Several rules, in place of one. */
  readonly rules?: readonly JsonObject[]
  /** What the step has besides its action, arguments and three attempts. */
  readonly step?: JsonObject
  /** Whether a call that the fault spoils is executed. */
  readonly executed?: boolean
  /** The outcome by safety or, where an operation differs, by operation: of a fault that comes once, ... */
  readonly once?: Outcomes
  /** ... of one that stays, ... */
  readonly always?: Outcomes
  /** ... and of `rules`. */
  readonly all?: Outcomes
  /** What the outputs of a step that ended well hold at least. */
  readonly outputs?: JsonObject
  /** How many items each request held. */
  readonly sizes?: readonly number[]
  /** The signs that a broken record shows. */
  readonly signs?: readonly string[]
}

/** Such as `failed with ConnectionLost after 3`. */
type Outcomes = Readonly<Record<string, string>>

/** One operation under one fault. */
export interface FaultTrial extends MarkedCase {
  readonly name: string
  readonly operation: string
  readonly method: OperationMethod
  readonly rules: readonly JsonObject[]
  readonly expected: ExpectedOutcome
  readonly row: FaultCase
}

/** An outcome as the list states it. */
export interface ExpectedOutcome {
  readonly status: 'succeeded' | 'failed' | 'unknown'
  readonly hasWarning: boolean
  /** Of a failure, or of every attempt behind an unknown outcome. */
  readonly codes: readonly string[]
  /** Attempts, and requests that arrived. */
  readonly attempts: number
}

const folder = new URL('../../cases/faults/', import.meta.url)

/** Every row of every file. */
export const faultCases: readonly (FaultCase & { readonly file: string })[] = readdirSync(folder)
  .sort()
  .flatMap((file) => {
    const rows = parse(readFileSync(new URL(file, folder), 'utf8')) as readonly FaultCase[]
    return rows.map((row) => ({ ...row, file }))
  })

const methods = Object.entries(operations).map(([method, { id, safety }]) => ({
  method: method as OperationMethod,
  operation: id,
  safety,
}))

/** Every operation that a row is about, under the fault that comes once and under the one that stays. */
export function trialsOf(row: FaultCase): readonly FaultTrial[] {
  return methods
    .filter(({ operation }) => row.operations?.includes(operation) ?? true)
    .flatMap(({ method, operation, safety }) =>
      variants(row).flatMap(({ name, rules, outcomes, code }) => {
        const text = outcomes[operation] ?? outcomes[safety]
        if (text === undefined) return []
        const expected = readOutcome(text.replaceAll('CODE', code))
        const smoke = row.smoke.includes(operation)
        return [{ name: `${operation}: ${name}`, smoke, operation, method, rules, expected, row }]
      }),
    )
}

interface Variant {
  readonly name: string
  readonly rules: readonly JsonObject[]
  readonly outcomes: Outcomes
  readonly code: string
}

function variants(row: FaultCase): readonly Variant[] {
  if (row.all) return [{ name: row.fault, rules: row.rules ?? [], outcomes: row.all, code: '' }]
  const codes: readonly (string | undefined)[] = row.codes ?? [undefined]
  return codes.flatMap((code) => {
    const rule = { ...row.rule, ...(code === undefined ? {} : { [row.as ?? 'error']: withCode(row, code) }) }
    const name = code === undefined ? row.fault : `${row.fault} (${code})`
    return [
      ...(row.once
        ? [{ name: `${name}, once`, rules: [{ ...rule, times: 1 }], outcomes: row.once, code: code ?? '' }]
        : []),
      ...(row.always ? [{ name, rules: [rule], outcomes: row.always, code: code ?? '' }] : []),
    ]
  })
}

function withCode({ as }: FaultCase, code: string): JsonValue {
  return as === 'tool_error' ? { code } : code
}

const outcomeText =
  /^(succeeded|failed|unknown)( with a warning)?(?: (?:with|by) (\w+(?:, \w+)*))? after (\d+)$/

function readOutcome(text: string): ExpectedOutcome {
  const [, status, warning, codes = '', attempts] = outcomeText.exec(text) ?? []
  if (status === undefined) throw new Error(`no outcome: ${text}`)
  return {
    status: status as ExpectedOutcome['status'],
    hasWarning: warning !== undefined,
    codes: codes === '' ? [] : codes.split(', '),
    attempts: Number(attempts),
  }
}
