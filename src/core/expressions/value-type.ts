import { type JsonValue, withoutUndefined } from '../json.ts'

export type Kind = 'null' | 'boolean' | 'number' | 'text' | 'list' | 'map'

/** What is known about a value before it exists. Nothing known is `{}`. */
export interface ValueType {
  /** The kinds it can be; left out: any. None: there is no such value, as among the items of an empty list. */
  readonly kinds?: readonly Kind[]
  /** For maps: the fields that are known. */
  readonly fields?: Readonly<Record<string, Field>>
  /** For maps: there may be fields that are not known. */
  readonly isOpen?: boolean
  /** For lists: what the items are. For open maps: what the unknown fields are. */
  readonly items?: ValueType
  /** Where only some values are possible, as an `enum` says. */
  readonly values?: readonly JsonValue[]
}

export interface Field {
  readonly type: ValueType
  /** It can be missing, and is only read under a guard. */
  readonly isOptional?: boolean
  /** For people: why it can be missing. */
  readonly because?: string
  /**
   * It is there all the same where one of these is known of the status beside it, such as `== succeeded` or `!= skipped`.
   */
  readonly sureWhen?: readonly string[]
  /** It is there all the same where of each of these lists a field beside it is known to be missing. */
  readonly sureWithout?: readonly (readonly string[])[]
}

export const anyType: ValueType = {}
/** The type of what does not exist. */
const nothing: ValueType = { kinds: [] }
export const truth: ValueType = { kinds: ['boolean'] }
export const numberType: ValueType = { kinds: ['number'] }
export const textType: ValueType = { kinds: ['text'] }

export function listOf(items: ValueType): ValueType {
  return { kinds: ['list'], items }
}

export function mapOf(fields: Readonly<Record<string, Field>>, isOpen = false): ValueType {
  return { kinds: ['map'], fields, isOpen }
}

/** What the items of a list are, or the unknown fields of a map. */
export function itemsOf({ items }: ValueType): ValueType {
  return items === undefined || items.kinds?.length === 0 ? anyType : items
}

/** The field of a map, if it is known. */
export function fieldOf({ fields }: ValueType, name: string): Field | undefined {
  return fields && Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** The kind of a value. */
export function kindOf(value: JsonValue): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'object') return 'map'
  return typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean')
}

/** Whether a value of this type can be of one of the kinds. */
export function canBe(type: ValueType, ...kinds: readonly Kind[]): boolean {
  return type.kinds === undefined || type.kinds.some((kind) => kinds.includes(kind))
}

/** Whether values of the two types can be of one kind. */
export function canBeAlike(left: ValueType, right: ValueType): boolean {
  return right.kinds === undefined || canBe(left, ...right.kinds)
}

/** Whether values of the two types can be equal at all. */
export function canBeEqual(left: ValueType, right: ValueType): boolean {
  if (!canBeAlike(left, right)) return false
  if (left.values === undefined || right.values === undefined) return true
  return left.values.some((value) => right.values?.includes(value))
}

/** How many levels of a type are compared: one type can occur many times within another. */
const maxDepth = 4

/** The type of a value that is of one of the two. */
export function either(left: ValueType, right: ValueType): ValueType {
  return eitherWithin(left, right, 0)
}

/** The type of a value that is of one of these; none: there is no such value. */
export function eitherOf(types: readonly ValueType[]): ValueType {
  if (types.length <= 1) return types[0] ?? nothing
  // By halves: one after the other, the values of thousands of items would be joined with each of them again.
  const half = types.length >> 1
  return either(eitherOf(types.slice(0, half)), eitherOf(types.slice(half)))
}

function eitherWithin(left: ValueType, right: ValueType, depth: number): ValueType {
  if (left === right) return left
  if (depth > maxDepth) return anyType
  if (left.kinds?.length === 0) return right
  if (right.kinds?.length === 0) return left
  if (left.kinds === undefined || right.kinds === undefined) return anyType
  const kinds = [...new Set([...left.kinds, ...right.kinds])]
  const [isLeftHolder, isRightHolder] = [left, right].map((type) => canBe(type, 'list', 'map'))
  // A side that holds nothing does not change what is held.
  const holder = isRightHolder ? (isLeftHolder ? eitherHolder(left, right, depth + 1) : right) : left
  return {
    kinds,
    ...withoutUndefined({ fields: holder.fields, isOpen: holder.isOpen, items: holder.items }),
    ...(left.values && right.values ? { values: [...new Set([...left.values, ...right.values])] } : {}),
  }
}

function eitherHolder(left: ValueType, right: ValueType, depth: number): ValueType {
  const names = Object.keys(left.fields ?? {}).filter((name) => fieldOf(right, name))
  const fields = names.map((name) => [name, eitherField(left, right, name, depth)] as const)
  const isSame =
    names.length === Object.keys(left.fields ?? {}).length &&
    names.length === Object.keys(right.fields ?? {}).length
  return {
    ...(left.fields && right.fields ? { fields: Object.fromEntries(fields) } : {}),
    isOpen: left.isOpen !== false || right.isOpen !== false || !isSame,
    ...(left.items && right.items ? { items: eitherWithin(left.items, right.items, depth) } : {}),
  }
}

function eitherField(left: ValueType, right: ValueType, name: string, depth: number): Field {
  const [one, other] = [fieldOf(left, name), fieldOf(right, name)]
  const optional = one?.isOptional ? one : other
  return { ...optional, type: eitherWithin(one?.type ?? anyType, other?.type ?? anyType, depth) }
}

const names: Readonly<Record<Kind, string>> = {
  null: 'null',
  boolean: 'true or false',
  number: 'a number',
  text: 'a text',
  list: 'a list',
  map: 'a map',
}

/** The kinds of a type, for people. */
export function describeKinds(kinds: readonly Kind[] | undefined): string {
  if (kinds === undefined || kinds.length === Object.keys(names).length) return 'anything'
  return kinds.length === 0 ? 'nothing' : kinds.map((kind) => names[kind]).join(' or ')
}

/** The kind of a value, for people. */
export function nameKind(value: JsonValue): string {
  return names[kindOf(value)]
}
