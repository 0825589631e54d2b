import { isJsonObject, type JsonValue } from '../json.ts'
import { fail, itemSize, type Machine, make, stepsForAField, work } from './machine.ts'
import { asTruth, type Compile, nameKind, type Run } from './run.ts'
import { weigh } from './shape.ts'
import type { ExpressionTree } from './tree.ts'

type MacroTree = ExpressionTree & { readonly kind: 'macro' }

/** A macro's variable lives in a place of its own on the machine; the scope is never copied. */
export function compileMacro(tree: MacroTree, variables: readonly string[], compile: Compile): Run {
  const items = compileItems(tree, compile(tree.of, variables))
  const depth = variables.length
  const body = compile(tree.body, [...variables, tree.variable])
  const weight = weigh(tree.body)
  const turn = (machine: Machine, item: JsonValue): void => {
    work(machine, weight)
    machine.variables[depth] = item
  }
  if (tree.macro === 'map') {
    return (machine) => {
      const made: JsonValue[] = []
      for (const item of items(machine)) {
        turn(machine, item)
        made.push(body(machine))
      }
      make(machine, made.length * itemSize)
      return made
    }
  }
  const holds = asTruth(body, tree.body)
  if (tree.macro === 'filter') {
    return (machine) => {
      const kept: JsonValue[] = []
      for (const item of items(machine)) {
        turn(machine, item)
        if (holds(machine)) kept.push(item)
      }
      make(machine, kept.length * itemSize)
      return kept
    }
  }
  if (tree.macro === 'exists_one') {
    return (machine) => {
      let count = 0
      for (const item of items(machine)) {
        turn(machine, item)
        if (holds(machine)) count++
      }
      return count === 1
    }
  }
  // `exists` ends at the first item it holds for, `all` at the first it does not hold for.
  const decides = tree.macro === 'exists'
  return (machine) => {
    for (const item of items(machine)) {
      turn(machine, item)
      if (holds(machine) === decides) return decides
    }
    return !decides
  }
}

/** The items of a list, or the names of a map's fields. */
function compileItems(tree: MacroTree, of: Run): (machine: Machine) => readonly JsonValue[] {
  return (machine) => {
    const holder = of(machine)
    if (Array.isArray(holder)) return holder as readonly JsonValue[]
    if (!isJsonObject(holder)) {
      return fail(machine, tree, `${tree.macro} needs a list or a map, not ${nameKind(holder)}`)
    }
    const names = Object.keys(holder)
    work(machine, names.length * stepsForAField)
    return names
  }
}
