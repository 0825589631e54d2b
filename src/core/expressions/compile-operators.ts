import { isJsonObject, type JsonValue } from '../json.ts'
import { compareTexts, isEqual } from './equality.ts'
import { fail, itemSize, type Machine, make, work } from './machine.ts'
import { nameKind, type Run } from './run.ts'
import type { BinaryOperator, ExpressionTree } from './tree.ts'

type Binary = ExpressionTree & { readonly kind: 'binary' }

export function compileBinary(tree: Binary, left: Run, right: Run): Run {
  switch (tree.operator) {
    case '==':
    case '!=':
      return equality(tree, left, right)
    case 'in':
      return membership(tree, left, right)
    case '+':
      return addition(tree, left, right)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return comparison(tree, left, right)
    default:
      return arithmetic(tree, left, right)
  }
}

function equality(tree: Binary, left: Run, right: Run): Run {
  const isWanted = tree.operator === '=='
  const { right: second } = tree
  if (second.kind === 'value' && (second.value === null || typeof second.value !== 'object')) {
    const { value } = second
    return (machine) => (left(machine) === value) === isWanted
  }
  return (machine) => isEqual(machine, left(machine), right(machine)) === isWanted
}

function membership(tree: Binary, left: Run, right: Run): Run {
  return (machine) => {
    const item = left(machine)
    const holder = right(machine)
    if (isJsonObject(holder)) return typeof item === 'string' && Object.hasOwn(holder, item)
    if (!Array.isArray(holder)) return failKinds(machine, tree, item, holder)
    for (const candidate of holder as readonly JsonValue[]) {
      work(machine, 1)
      if (isEqual(machine, candidate, item)) return true
    }
    return false
  }
}

function addition(tree: Binary, left: Run, right: Run): Run {
  return (machine) => {
    const one = left(machine)
    const other = right(machine)
    if (typeof one === 'number' && typeof other === 'number') return finite(machine, tree, one + other)
    if (typeof one === 'string' && typeof other === 'string') {
      make(machine, one.length + other.length)
      return one + other
    }
    if (!Array.isArray(one) || !Array.isArray(other)) return failKinds(machine, tree, one, other)
    make(machine, (one.length + other.length) * itemSize)
    return one.concat(other) as readonly JsonValue[]
  }
}

const comparisons: Readonly<Partial<Record<BinaryOperator, (one: number, other: number) => boolean>>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
}

function comparison(tree: Binary, left: Run, right: Run): Run {
  const holds = comparisons[tree.operator] as (one: number, other: number) => boolean
  return (machine) => {
    const one = left(machine)
    const other = right(machine)
    if (typeof one === 'number' && typeof other === 'number') return holds(one, other)
    if (typeof one === 'string' && typeof other === 'string')
      return holds(compareTexts(machine, one, other), 0)
    if (typeof one === 'boolean' && typeof other === 'boolean') return holds(Number(one), Number(other))
    return failKinds(machine, tree, one, other)
  }
}

const calculations: Readonly<Partial<Record<BinaryOperator, (one: number, other: number) => number>>> = {
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
  '%': (one, other) => one % other,
}

function arithmetic(tree: Binary, left: Run, right: Run): Run {
  const calculate = calculations[tree.operator] as (one: number, other: number) => number
  const divides = tree.operator === '/' || tree.operator === '%'
  return (machine) => {
    const one = left(machine)
    const other = right(machine)
    if (typeof one !== 'number' || typeof other !== 'number') return failKinds(machine, tree, one, other)
    if (divides && other === 0) return fail(machine, tree, 'a division by zero')
    return finite(machine, tree, calculate(one, other))
  }
}

/** A number as JSON has it: neither too large to be one, nor a zero with a sign. */
export function finite(machine: Machine, tree: ExpressionTree, value: number): number {
  return Number.isFinite(value) ? value + 0 : fail(machine, tree, 'the result is too large for a number')
}

function failKinds(machine: Machine, tree: Binary, left: JsonValue, right: JsonValue): never {
  const { operator } = tree
  if (operator === 'in') return fail(machine, tree, `"in" needs a list or a map, not ${nameKind(right)}`)
  return fail(machine, tree, `"${operator}" does not work on ${nameKind(left)} and ${nameKind(right)}`)
}
