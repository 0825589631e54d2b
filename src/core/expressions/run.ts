import type { JsonValue } from '../json.ts'
import { fail, type Machine } from './machine.ts'
import type { ExpressionTree } from './tree.ts'
import { describeKinds, kindOf } from './value-type.ts'

/** Evaluates one node of a tree. */
export type Run = (machine: Machine) => JsonValue

/** Compiles a node that sees the variables of these macros, the outermost first. */
export type Compile = (tree: ExpressionTree, variables: readonly string[]) => Run

/** The kind of a value, for people. */
export function nameKind(value: JsonValue): string {
  return describeKinds([kindOf(value)])
}

/** The same, for a node whose value must be true or false. */
export function asTruth(run: Run, tree: ExpressionTree): (machine: Machine) => boolean {
  if (isTruth(tree)) return run as (machine: Machine) => boolean
  return (machine) => {
    const value = run(machine)
    return typeof value === 'boolean'
      ? value
      : fail(machine, tree, `${nameKind(value)} where true or false is needed`)
  }
}

function isTruth(tree: ExpressionTree): boolean {
  if (tree.kind === 'macro') return tree.macro !== 'map' && tree.macro !== 'filter'
  if (tree.kind === 'binary') return !['+', '-', '*', '/', '%'].includes(tree.operator)
  return tree.kind === 'not' || tree.kind === 'and' || tree.kind === 'or' || tree.kind === 'has'
}
