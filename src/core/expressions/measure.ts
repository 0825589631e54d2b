import type { JsonObject, JsonValue } from '../json.ts'
import { itemSize, type Machine, make, maxDepth, tooCostly } from './machine.ts'

/**
 * Counts what a value comes to when it is written out. A list that holds one value a thousand times takes no room
 * until then, so this is asked before anything is written out.
 */
export function measure(machine: Machine, value: JsonValue): void {
  if (typeof value === 'string') make(machine, value.length)
  else if (typeof value === 'object' && value !== null) measureParts(machine, value, 0)
}

/** Counts on the way down: what is too much is found out before all of it has been walked through. */
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
