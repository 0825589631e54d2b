import type { JsonObject, JsonValue } from '../json.ts'
import { compile } from './compile.ts'
import type { Machine } from './machine.ts'
import { measure } from './measure.ts'
import type { Pattern } from './pattern.ts'
import type { Run } from './run.ts'
import { canMultiply, weigh } from './shape.ts'
import type { Expression, ExpressionTree } from './tree.ts'

/** A tree made ready to run many times. It holds nothing that the tree does not say. */
export interface Program {
  readonly run: Run
  /** The steps of one pass over the tree, the turns of its macros left out. */
  readonly weight: number
  readonly canMultiply: boolean
  readonly patterns: Map<string, Pattern>
}

const maxPatterns = 20

export function createProgram(tree: ExpressionTree): Program {
  return {
    run: compile(tree, []),
    weight: weigh(tree),
    canMultiply: canMultiply(tree),
    patterns: new Map(),
  }
}

/** Runs a program on the values of a scope. */
export function runProgram(program: Program, expression: Expression, scope: JsonObject): JsonValue {
  if (program.patterns.size > maxPatterns) program.patterns.clear()
  const machine: Machine = {
    scope,
    source: expression.source,
    variables: [],
    patterns: program.patterns,
    at: expression.tree,
    steps: program.weight,
    size: 0,
  }
  const value = program.run(machine)
  if (program.canMultiply) measure(machine, value)
  return value
}
