import type { JsonObject, JsonValue } from '../json.ts'
import { RunbookError } from '../run-error.ts'
import type { ExpressionTree, SourceSpan } from './tree.ts'

/** A pattern in RE2 syntax, ready to be looked for. */
export interface Pattern {
  /** How many states it has at most: what looking at one character can cost. */
  readonly states: number
  /** How many groups it has in brackets that keep what they match. */
  readonly groups: number
  find(text: string): boolean
  /** Its matches in a text, one after the other. */
  matchesIn(text: string): Iterable<PatternMatch>
}

/** Where a pattern matches, in UTF-16 units. */
export interface PatternMatch {
  readonly start: number
  readonly end: number
  /** What a group matches; 0 is the whole. Undefined for a group that took no part. */
  group(number: number): string | undefined
}

/** How much work one evaluation may do. A step is a visited node, or as much: 8 characters looked through. */
export const maxSteps = 1_000_000
/** How much it may make, in characters. */
export const maxSize = 5_000_000
/** What an item of a list or a field of a map counts as, in characters. */
export const itemSize = 10

/** What finding a field by its name counts as. */
export const stepsForAField = 4
/** What a call of a function counts as, besides its node and what it looks through. */
export const stepsForACall = 4
/** What a whole text counts as that is read or written in another form, besides its characters: Base64, JSON, a time. */
export const stepsToConvert = 15
/** How deep values may be nested where something walks through them. */
export const maxDepth = 1000

/** The variable of a macro, bound to one item after the other. */
export interface Variable {
  readonly name: string
  value: JsonValue
  /** That of the macro around it. */
  readonly outer: Variable | undefined
}

/** One evaluation in progress: the values of its names, and the work it has used. */
export interface Machine {
  readonly scope: JsonObject
  /** The expression as written, for messages. */
  readonly source: string
  /** Of the innermost macro. */
  variable: Variable | undefined
  /** The patterns that this evaluation has read. */
  patterns: Map<string, Pattern> | undefined
  /** The time zones that it has read, as far as they are kept. */
  zones: Set<string> | undefined
  /** The call at work, for the messages of its function. */
  at: ExpressionTree
  steps: number
  size: number
  /** Why the expression does not work on these values. Left out: it has not failed, or was too costly. */
  failure?: Failure
}

/** What is wrong, and the part of the expression that it is about. */
export interface Failure {
  readonly message: string
  readonly span: SourceSpan
}

/** Counts work that is about to be done. */
export function work(machine: Machine, steps: number): void {
  machine.steps += steps
  if (machine.steps > maxSteps) tooCostly(machine, 'the expression takes too many steps')
}

/** Counts what is about to be made, in characters. */
export function make(machine: Machine, size: number): void {
  machine.size += size
  if (machine.size > maxSize) tooCostly(machine, 'the expression makes too much data')
}

/** Counts the characters that are about to be looked through. */
export function scan(machine: Machine, characters: number): void {
  work(machine, characters >>> 3)
}

/** Counts a text that is about to be read or written in another form: much is done with each of its characters. */
export function convert(machine: Machine, characters: number): void {
  work(machine, stepsToConvert + (characters >>> 1))
}

/** Ends the evaluation: the expression does not work on these values. */
export function fail(machine: Machine, tree: ExpressionTree, message: string): never {
  machine.failure = { message, span: tree.span }
  const part = machine.source.slice(...tree.span)
  const where = part === machine.source ? '' : ` in "${machine.source}"`
  throw new RunbookError('ExpressionFailed', `${message}: "${part}"${where}`)
}

/** Ends the evaluation: it would take too long, or fill the memory. */
export function tooCostly(machine: Machine, why: string): never {
  throw new RunbookError('ExpressionTooCostly', `${why}: "${machine.source}"`)
}

/**
 * Counts the characters of a value when it is written out. A list that holds one value a thousand times takes no memory
 * until then, so this is counted first.
 */
export function measure(machine: Machine, value: JsonValue): void {
  if (typeof value === 'string') make(machine, value.length)
  else if (typeof value === 'object' && value !== null) measureParts(machine, value, 0)
}

/** Counts on the way down: a value that is too large is refused before all of it has been visited. */
function measureParts(machine: Machine, holder: JsonObject | readonly JsonValue[], depth: number): void {
  if (depth > maxDepth) tooCostly(machine, `values are nested deeper than ${maxDepth} levels`)
  const names = Array.isArray(holder) ? undefined : Object.keys(holder)
  const parts = names === undefined ? (holder as readonly JsonValue[]) : names
  make(machine, parts.length * itemSize)
  for (let index = 0; index < parts.length; index++) {
    const name = names?.[index]
    const part = name === undefined ? parts[index] : (holder as JsonObject)[name]
    if (name !== undefined) machine.size += name.length
    if (typeof part === 'string') machine.size += part.length
    else if (typeof part === 'object' && part !== null) measureParts(machine, part, depth + 1)
  }
  make(machine, 0)
}

/** Whether the value can hold one part of the scope several times, and so be larger than what it is made of. */
export function canMultiply(tree: ExpressionTree): boolean {
  switch (tree.kind) {
    case 'list':
    case 'map':
      return true
    case 'binary':
      return tree.operator === '+'
    case 'macro':
      return canMacroMultiply(tree)
    case 'member':
    case 'index':
      return canMultiply(tree.of)
    case 'default':
      return canMultiply(tree.of) || canMultiply(tree.otherwise)
    case 'conditional':
      return canMultiply(tree.whenTrue) || canMultiply(tree.whenFalse)
    case 'call':
      return tree.arguments.some(canMultiply)
    default:
      return false
  }
}

function canMacroMultiply({ macro, of }: ExpressionTree & { readonly kind: 'macro' }): boolean {
  if (macro === 'filter' || macro === 'sortBy') return canMultiply(of)
  return macro === 'map' || macro === 'groupBy' || macro === 'toMap'
}
