import type { JsonObject, JsonValue } from '../json.ts'
import { RunbookError } from '../run-error.ts'
import type { Pattern } from './pattern.ts'
import type { ExpressionTree } from './tree.ts'

/** How much work one evaluation may do. A step is a node visited, or its like: some characters looked through. */
export const maxSteps = 1_000_000
/** How much it may make, in characters. */
export const maxSize = 5_000_000
/** What an item of a list or a field of a map counts as, in characters. */
export const itemSize = 10

/** What finding a field by its name counts as. */
export const stepsForAField = 4
/** How deep values may be nested where something walks through them. */
export const maxDepth = 1000

/** One evaluation under way: what its names stand for, and what it has used up. */
export interface Machine {
  readonly scope: JsonObject
  /** The expression as written, for messages. */
  readonly source: string
  /** The values of the macros' variables, from the outermost macro inwards. */
  readonly variables: JsonValue[]
  /** Patterns that were read before, in this evaluation or an earlier one of the same expression. */
  readonly patterns: Map<string, Pattern>
  /** The call at work, for the messages of its function. */
  at: ExpressionTree
  steps: number
  size: number
}

/** Counts work that is about to be done. */
export function work(machine: Machine, steps: number): void {
  machine.steps += steps
  if (machine.steps > maxSteps) tooCostly(machine, 'it takes too many steps')
}

/** Counts what is about to be made, in characters. */
export function make(machine: Machine, size: number): void {
  machine.size += size
  if (machine.size > maxSize) tooCostly(machine, 'it makes too much data')
}

/** Counts the characters that are about to be looked through. */
export function scan(machine: Machine, characters: number): void {
  work(machine, characters >>> 3)
}

/** Ends the evaluation: the expression does not work on these values. */
export function fail(machine: Machine, tree: ExpressionTree, message: string): never {
  const part = machine.source.slice(...tree.span)
  const where = part === machine.source ? '' : ` in "${machine.source}"`
  throw new RunbookError('ExpressionFailed', `${message}: "${part}"${where}`)
}

/** Ends the evaluation: it would go on for too long, or fill the memory. */
export function tooCostly(machine: Machine, why: string): never {
  throw new RunbookError('ExpressionTooCostly', `${why}: "${machine.source}"`)
}
