import { isJsonObject, type JsonValue } from '../json.ts'
import { maxDepth } from './equality.ts'
import { itemSize, type Machine, make, tooCostly } from './machine.ts'

/**
 * Counts what a value comes to when it is written out. A list that holds one value a thousand times takes no room
 * until then, so this is asked before anything is written out.
 */
export function measure(machine: Machine, value: JsonValue, depth = 0): void {
  if (typeof value === 'string') make(machine, value.length)
  if (typeof value !== 'object' || value === null) return
  if (depth > maxDepth) tooCostly(machine, `values are nested deeper than ${maxDepth} levels`)
  if (Array.isArray(value)) {
    make(machine, value.length * itemSize)
    for (const item of value as readonly JsonValue[]) measure(machine, item, depth + 1)
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      make(machine, name.length + itemSize)
      measure(machine, value[name] as JsonValue, depth + 1)
    }
  }
}
