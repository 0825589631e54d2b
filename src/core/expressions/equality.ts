import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { type Machine, maxDepth, scan, stepsForAField, tooCostly, work } from './machine.ts'

/** Whether two values are the same JSON. Values of different kinds are not equal, and nothing is converted. */
export function isEqual(machine: Machine, left: JsonValue, right: JsonValue, depth = 0): boolean {
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
