import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import {
  fail,
  itemSize,
  type Machine,
  make,
  maxDepth,
  scan,
  stepsForAField,
  tooCostly,
  work,
} from './machine.ts'
import type { ExpressionTree } from './tree.ts'
import { nameKind } from './value-type.ts'

type Binary = ExpressionTree & { readonly kind: 'binary' }

/** The value of an operator between two values. Nothing is converted. */
export function applyOperator(machine: Machine, tree: Binary, left: JsonValue, right: JsonValue): JsonValue {
  switch (tree.operator) {
    case '==':
      return isEqual(machine, left, right)
    case '!=':
      return !isEqual(machine, left, right)
    case 'in':
      return isIn(machine, tree, left, right)
    case '+':
      return add(machine, tree, left, right)
    case '<':
      return compare(machine, tree, left, right) < 0
    case '<=':
      return compare(machine, tree, left, right) <= 0
    case '>':
      return compare(machine, tree, left, right) > 0
    case '>=':
      return compare(machine, tree, left, right) >= 0
    default:
      return calculate(machine, tree, left, right)
  }
}

function isIn(machine: Machine, tree: Binary, item: JsonValue, holder: JsonValue): boolean {
  if (isJsonObject(holder)) return typeof item === 'string' && Object.hasOwn(holder, item)
  if (!Array.isArray(holder))
    return fail(machine, tree, `"in" needs a list or a map, not ${nameKind(holder)}`)
  for (const candidate of holder as readonly JsonValue[]) {
    work(machine, 1)
    if (isEqual(machine, candidate, item)) return true
  }
  return false
}

function add(machine: Machine, tree: Binary, left: JsonValue, right: JsonValue): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') return finite(machine, tree, left + right)
  if (typeof left === 'string' && typeof right === 'string') {
    make(machine, left.length + right.length)
    return left + right
  }
  if (isJsonObject(left) && isJsonObject(right)) return merge(machine, left, right)
  if (!Array.isArray(left) || !Array.isArray(right)) return failKinds(machine, tree, left, right)
  make(machine, (left.length + right.length) * itemSize)
  return left.concat(right) as readonly JsonValue[]
}

/** The fields of both; of a field that both have, the value on the right. */
function merge(machine: Machine, left: JsonObject, right: JsonObject): JsonObject {
  const count = Object.keys(left).length + Object.keys(right).length
  // Each field is found, and then added.
  work(machine, 2 * count * stepsForAField)
  make(machine, count * itemSize)
  // Not an assignment to each field: that would take `__proto__` for the prototype.
  return { ...left, ...right }
}

/** Below zero, zero or above it, as the left value is below, equal to or above the right one. */
function compare(machine: Machine, tree: Binary, left: JsonValue, right: JsonValue): number {
  // Not a difference: two numbers can be further apart than the largest number.
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : left > right ? 1 : 0
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(machine, left, right)
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right)
  return failKinds(machine, tree, left, right)
}

function calculate(machine: Machine, tree: Binary, left: JsonValue, right: JsonValue): number {
  if (typeof left !== 'number' || typeof right !== 'number') return failKinds(machine, tree, left, right)
  const { operator } = tree
  if (operator === '-') return finite(machine, tree, left - right)
  if (operator === '*') return finite(machine, tree, left * right)
  if (right === 0) return fail(machine, tree, 'a division by zero')
  return finite(machine, tree, operator === '/' ? left / right : left % right)
}

/** A number as JSON has it: neither too large to be one, nor a zero with a sign. */
export function finite(machine: Machine, tree: ExpressionTree, value: number): number {
  return Number.isFinite(value) ? value + 0 : fail(machine, tree, 'the result is too large for a number')
}

function failKinds(machine: Machine, tree: Binary, left: JsonValue, right: JsonValue): never {
  return fail(machine, tree, `"${tree.operator}" does not work on ${nameKind(left)} and ${nameKind(right)}`)
}

/** Whether two values are the same JSON. Values of different kinds are not equal, and nothing is converted. */
function isEqual(machine: Machine, left: JsonValue, right: JsonValue, depth = 0): boolean {
  if (typeof left === 'string') {
    if (typeof right !== 'string' || left.length !== right.length) return false
    scan(machine, left.length)
    return left === right
  }
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object') return false
  if (depth > maxDepth) tooCostly(machine, `values are nested deeper than ${maxDepth} levels`)
  if (Array.isArray(left)) return Array.isArray(right) && areItemsEqual(machine, left, right, depth)
  return isJsonObject(left) && isJsonObject(right) && areFieldsEqual(machine, left, right, depth)
}

function areItemsEqual(
  machine: Machine,
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  depth: number,
): boolean {
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) {
    work(machine, 1)
    if (!isEqual(machine, left[index] as JsonValue, right[index] as JsonValue, depth + 1)) return false
  }
  return true
}

function areFieldsEqual(machine: Machine, left: JsonObject, right: JsonObject, depth: number): boolean {
  const names = Object.keys(left)
  work(machine, names.length * stepsForAField)
  if (names.length !== Object.keys(right).length) return false
  for (const name of names) {
    if (!Object.hasOwn(right, name)) return false
    if (!isEqual(machine, left[name] as JsonValue, right[name] as JsonValue, depth + 1)) return false
  }
  return true
}

/** Which of two texts comes first, character by character as Unicode numbers them: below, above or at zero. */
export function compareTexts(machine: Machine, left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  let index = 0
  while (index < length && left.charCodeAt(index) === right.charCodeAt(index)) index++
  scan(machine, index)
  if (index === length) return left.length - right.length
  return rank(left.charCodeAt(index)) - rank(right.charCodeAt(index))
}

/** Halves of characters beyond U+FFFF come after everything else, as the characters do. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
