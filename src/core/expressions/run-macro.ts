import { isJsonObject, type JsonValue } from '../json.ts'
import { sortByKeys } from './list-functions.ts'
import { fail, itemSize, type Machine, make, stepsForAField, type Variable, work } from './machine.ts'
import type { ExpressionTree } from './tree.ts'
import { describeKinds, type Kind, kindOf, nameKind } from './value-type.ts'

type MacroTree = ExpressionTree & { readonly kind: 'macro' }
type List = readonly JsonValue[]

/** The value of a node. */
export type Evaluate = (machine: Machine, tree: ExpressionTree) => JsonValue

/** What items can be grouped by. */
export const scalars: readonly Kind[] = ['text', 'number', 'boolean', 'null']

/** The value of a macro. Binds its variable to each item, one after another; the scope is never copied. */
export function runMacro(machine: Machine, tree: MacroTree, run: Evaluate): JsonValue {
  const items = itemsOf(machine, tree, run)
  const variable: Variable = { name: tree.variable, value: null, outer: machine.variable }
  machine.variable = variable
  const value = runForItems(machine, tree, items, (part, item) => {
    variable.value = item
    return run(machine, part)
  })
  machine.variable = variable.outer
  return value
}

/** The value of a part of the macro for one item. */
type ItemValue = (part: ExpressionTree, item: JsonValue) => JsonValue

function runForItems(machine: Machine, tree: MacroTree, items: List, valueFor: ItemValue): JsonValue {
  const { macro, body } = tree
  switch (macro) {
    case 'map':
      make(machine, items.length * itemSize)
      return items.map((item) => valueFor(body, item))
    case 'sortBy': {
      const keys = items.map((item) => valueFor(body, item))
      machine.at = tree
      return sortByKeys(machine, items, keys, 'the keys of sortBy must be texts, or numbers')
    }
    case 'groupBy':
      return groupBy(machine, tree, items, valueFor)
    case 'toMap':
      return toMap(machine, tree, items, valueFor)
    default:
      return select(machine, tree, items, valueFor)
  }
}

function select(machine: Machine, { macro, body }: MacroTree, items: List, valueFor: ItemValue): JsonValue {
  const found: JsonValue[] = []
  for (const item of items) {
    const holds = valueFor(body, item)
    if (typeof holds !== 'boolean')
      return fail(machine, body, `${nameKind(holds)} where true or false is needed`)
    if (macro === 'all' && !holds) return false
    if (macro === 'exists' && holds) return true
    if (holds) found.push(item)
  }
  if (macro === 'all') return true
  if (macro === 'exists') return false
  if (macro === 'exists_one') return found.length === 1
  make(machine, found.length * itemSize)
  return found
}

/** One map for each key, in the order in which the keys first come. */
function groupBy(machine: Machine, { body }: MacroTree, items: List, valueFor: ItemValue): JsonValue {
  const groups = new Map<JsonValue, { key: JsonValue; items: JsonValue[] }>()
  for (const item of items) {
    const key = valueFor(body, item)
    if (!scalars.includes(kindOf(key)))
      return fail(machine, body, `the key of groupBy needs ${describeKinds(scalars)}, not ${nameKind(key)}`)
    work(machine, stepsForAField)
    make(machine, itemSize)
    const group = groups.get(key)
    if (group) group.items.push(item)
    else {
      make(machine, itemSize * 3)
      groups.set(key, { key, items: [item] })
    }
  }
  return [...groups.values()]
}

function toMap(machine: Machine, tree: MacroTree, items: List, valueFor: ItemValue): JsonValue {
  const fields = new Map<string, JsonValue>()
  for (const item of items) {
    const name = valueFor(tree.body, item)
    if (typeof name !== 'string')
      return fail(machine, tree.body, `the name of a field is a text, not ${nameKind(name)}`)
    if (fields.has(name)) {
      return fail(
        machine,
        tree,
        `two items are named ${JSON.stringify(name)}; groupBy(…) takes several of one name`,
      )
    }
    work(machine, stepsForAField)
    make(machine, itemSize + name.length)
    fields.set(name, tree.value ? valueFor(tree.value, item) : null)
  }
  return Object.fromEntries(fields)
}

/** The items of a list, or the names of a map's fields. */
function itemsOf(machine: Machine, tree: MacroTree, run: Evaluate): List {
  const holder = run(machine, tree.of)
  if (Array.isArray(holder)) return holder as List
  if (!isJsonObject(holder))
    return fail(machine, tree, `${tree.macro} needs a list or a map, not ${nameKind(holder)}`)
  const names = Object.keys(holder)
  work(machine, names.length * stepsForAField)
  return names
}
