import type { JsonValue } from '../json.ts'
import { finite } from './compile-operators.ts'
import type { ExpressionFunction, Parameter } from './function.ts'
import { functionOf } from './functions.ts'
import { fail, type Machine, work } from './machine.ts'
import { nameKind, type Run } from './run.ts'
import type { ExpressionTree } from './tree.ts'
import { describeKinds, type Kind, kindOf } from './value-type.ts'

type Call = ExpressionTree & { readonly kind: 'call' }

export function compileCall(tree: Call, runs: readonly Run[]): Run {
  const called = functionOf(tree.function)
  if (!called) return (machine) => fail(machine, tree, 'there is no such function')
  const { evaluate } = called
  const checks = called.parameters.slice(0, runs.length).map((parameter) => checkOf(called, parameter))
  return (machine) => {
    const values: JsonValue[] = []
    for (const run of runs) values.push(run(machine))
    machine.at = tree
    for (let index = 0; index < checks.length; index++) checks[index]?.(machine, values[index] as JsonValue)
    const value = evaluate(values, machine)
    return typeof value === 'number' ? finite(machine, tree, value) : value
  }
}

type Check = (machine: Machine, value: JsonValue) => void

/** Fails where an argument is of a kind that the function does not take. */
function checkOf(called: ExpressionFunction, { name, kinds, items }: Parameter): Check {
  const needs = `${called.name}(${name}) needs`
  const [only] = kinds
  const accepts =
    kinds.length === 1 && only === 'text'
      ? (value: JsonValue) => typeof value === 'string'
      : (value: JsonValue) => kinds.includes(kindOf(value))
  return (machine, value) => {
    if (!accepts(value)) fail(machine, machine.at, `${needs} ${describeKinds(kinds)}, not ${nameKind(value)}`)
    if (items) checkItems(machine, value as readonly JsonValue[], items, needs)
  }
}

function checkItems(
  machine: Machine,
  list: readonly JsonValue[],
  items: readonly Kind[],
  needs: string,
): void {
  work(machine, list.length)
  const wrong = list.findIndex((item) => !items.includes(kindOf(item)))
  if (wrong < 0) return
  const what = `${describeKinds(items)} at each position, and [${wrong}] is ${nameKind(list[wrong] as JsonValue)}`
  fail(machine, machine.at, `${needs} ${what}`)
}
