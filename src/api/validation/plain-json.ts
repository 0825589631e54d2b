import type { InputProblem } from '../../core/action.ts'
import type { JsonValue } from '../../core/json.ts'
import { childPath } from './field-path.ts'

/** A copy that JSON can hold, and everything in the value that JSON cannot. */
export interface PlainJson {
  readonly value: JsonValue
  readonly problems: readonly InputProblem[]
}

const maxDepth = 200
const brokenUnicode = 'is not valid Unicode: half of a pair is missing'

/**
 * Copies a value for sending. The copy is what is checked and sent, so a caller that changes the original while
 * the call waits changes nothing. What JSON would drop or bend silently is a problem with its path.
 */
export function plainJson(value: unknown): PlainJson {
  const copying: Copying = { problems: [], holders: [] }
  return { value: copy(value, '', copying), problems: copying.problems }
}

interface Copying {
  readonly problems: InputProblem[]
  /** What the value in hand is inside of. */
  readonly holders: object[]
}

function copy(value: unknown, path: string, copying: Copying): JsonValue {
  if (typeof value !== 'object' || value === null) {
    const complaint = scalarComplaint(value)
    return complaint === undefined ? (value as JsonValue) : refuse(path, complaint, copying)
  }
  const { holders } = copying
  if (!Array.isArray(value) && !isPlainObject(value))
    return refuse(path, `is a ${constructorName(value)}, which JSON cannot hold`, copying)
  if (holders.includes(value)) return refuse(path, 'contains itself', copying)
  if (holders.length >= maxDepth) return refuse(path, `is nested deeper than ${maxDepth} levels`, copying)
  holders.push(value)
  const copied = Array.isArray(value) ? copyArray(value, path, copying) : copyObject(value, path, copying)
  holders.pop()
  return copied
}

function copyArray(items: readonly unknown[], path: string, copying: Copying): JsonValue {
  // `Array.from` and not `map`, which skips holes.
  return Array.from(items, (item, index) => copy(item, childPath(path, index), copying))
}

function copyObject(object: object, path: string, copying: Copying): JsonValue {
  const copied: Record<string, JsonValue> = {}
  for (const [name, member] of Object.entries(object)) {
    const memberPath = childPath(path, name)
    if (hasLoneSurrogate(name)) refuse(memberPath, `is a name that ${brokenUnicode}`, copying)
    const value = copy(member, memberPath, copying)
    // A plain assignment to this one name would set the prototype.
    if (name === '__proto__') Object.defineProperty(copied, name, ownField(value))
    else copied[name] = value
  }
  return copied
}

function refuse(path: string, message: string, { problems }: Copying): null {
  problems.push({ path, message })
  return null
}

function ownField(value: JsonValue): PropertyDescriptor {
  return { value, enumerable: true, writable: true, configurable: true }
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  // Plain objects of other realms, such as those of a test runner, have another Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function scalarComplaint(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return hasLoneSurrogate(value) ? `is text that ${brokenUnicode}` : undefined
    case 'number':
      if (!Number.isFinite(value)) return `must be a finite number, not ${value}`
      return Number.isInteger(value) && !Number.isSafeInteger(value)
        ? 'is an integer beyond 2^53, which would lose digits'
        : undefined
    case 'boolean':
      return undefined
    case 'undefined':
      return 'is undefined, which JSON cannot hold; leave the field out'
    default:
      return value === null ? undefined : `is a ${typeof value}, which JSON cannot hold`
  }
}

function hasLoneSurrogate(text: string): boolean {
  return /\p{Cs}/u.test(text)
}

function constructorName(value: object): string {
  const { name } = (value.constructor ?? {}) as { name?: unknown }
  return typeof name === 'string' && name !== '' ? name : 'special object'
}
