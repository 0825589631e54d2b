import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { RunbookError } from '../run-error.ts'
import type { ExpressionFunction } from './function.ts'
import { functionOf } from './functions.ts'
import {
  canMultiply,
  type Failure,
  fail,
  type Machine,
  maxSteps,
  measure,
  stepsForACall,
  work,
} from './machine.ts'
import { applyOperator, finite } from './operators.ts'
import { runMacro } from './run-macro.ts'
import type { Expression, ExpressionTree } from './tree.ts'
import { describeKinds, type Kind, kindOf, nameKind } from './value-type.ts'

/** The names an expression sees. */
export type Scope = JsonObject

type Tree<K extends ExpressionTree['kind']> = ExpressionTree & { readonly kind: K }

/**
 * Evaluates an expression on the values of a scope: the same values always give the same answer, with a bounded amount
 * of work. Throws `ExpressionFailed` or `ExpressionTooCostly`.
 */
export function evaluate(expression: Expression, scope: Scope): JsonValue {
  const { tree } = expression
  const machine = createMachine(expression, scope)
  const value = run(machine, tree)
  const canBeLarge = typeof value === 'string' || typeof value === 'object'
  if (canBeLarge && canMultiply(tree)) measure(machine, value)
  return value
}

/** A file can hold thousands of expressions, and `serve` waits while one is loaded. */
const stepsAtLoad = 2000

/**
 * The value of an expression that reads no names, or why it fails, and where. Neither: that is not known within a few
 * steps.
 */
export function tryWithoutNames(expression: Expression): {
  readonly value?: JsonValue
  readonly failure?: Failure
} {
  const machine = createMachine(expression, {})
  machine.steps = maxSteps - stepsAtLoad
  try {
    return { value: run(machine, expression.tree) }
  } catch (thrown) {
    if (!RunbookError.is(thrown)) throw thrown
    return machine.failure === undefined ? {} : { failure: machine.failure }
  }
}

function createMachine({ source, tree }: Expression, scope: Scope): Machine {
  return {
    scope,
    source,
    variable: undefined,
    patterns: undefined,
    zones: undefined,
    at: tree,
    steps: 0,
    size: 0,
  }
}

/** The value of a node. A path must lead to something. */
function run(machine: Machine, tree: ExpressionTree): JsonValue {
  const value = look(machine, tree)
  return value === undefined ? failMissing(machine, tree) : value
}

/** The value of a node; undefined only for a path that ends early. A null is a value. */
function look(machine: Machine, tree: ExpressionTree): JsonValue | undefined {
  work(machine, 1)
  const { kind } = tree
  if (kind === 'member') return fieldOf(look(machine, tree.of), tree.name)
  if (kind === 'name') return lookUpName(machine, tree.name)
  return kind === 'value' ? tree.value : compute(machine, tree)
}

/** The value of a node that is neither a name, a field nor written out, which most nodes are. */
function compute(
  machine: Machine,
  tree: Exclude<ExpressionTree, Tree<'member' | 'name' | 'value'>>,
): JsonValue | undefined {
  switch (tree.kind) {
    case 'binary':
      return applyOperator(machine, tree, run(machine, tree.left), run(machine, tree.right))
    case 'call':
      return runCall(machine, tree)
    case 'index':
      return lookUpPosition(machine, tree)
    case 'list':
      return tree.items.map((item) => run(machine, item))
    case 'map':
      return runMap(machine, tree)
    case 'not':
      return !isTrue(machine, tree.of)
    case 'negate':
      return runNegation(machine, tree)
    // Left to right: an error on the left is an error, whatever the right side is.
    case 'and':
      return isTrue(machine, tree.left) && isTrue(machine, tree.right)
    case 'or':
      return isTrue(machine, tree.left) || isTrue(machine, tree.right)
    case 'conditional':
      return run(machine, isTrue(machine, tree.condition) ? tree.whenTrue : tree.whenFalse)
    case 'macro':
      return runMacro(machine, tree, run)
    case 'has':
      return look(machine, tree.of) !== undefined
    case 'default': {
      const value = look(machine, tree.of)
      const isMissing = value === undefined || (value === null && tree.of.kind === 'call')
      return isMissing ? run(machine, tree.otherwise) : value
    }
  }
}

/** The value of a node that must be true or false. */
function isTrue(machine: Machine, tree: ExpressionTree): boolean {
  const value = look(machine, tree)
  if (typeof value === 'boolean') return value
  if (value === undefined) return failMissing(machine, tree)
  return fail(machine, tree, `${nameKind(value)} where true or false is needed`)
}

function runNegation(machine: Machine, tree: Tree<'negate'>): number {
  const value = run(machine, tree.of)
  // Not `-value`: JSON has no zero with a sign.
  return typeof value === 'number'
    ? 0 - value
    : fail(machine, tree.of, `${nameKind(value)} where a number is needed`)
}

function runMap(machine: Machine, tree: Tree<'map'>): JsonObject {
  const made: Record<string, JsonValue> = {}
  for (const [key, part] of tree.entries) {
    const name = run(machine, key)
    if (typeof name !== 'string') fail(machine, key, `the name of a field is a text, not ${nameKind(name)}`)
    if (Object.hasOwn(made, name)) fail(machine, tree, `the map names ${JSON.stringify(name)} twice`)
    const value = run(machine, part)
    // An assignment would take this name for the prototype.
    if (name === '__proto__') Object.defineProperty(made, name, { ...ownField, value })
    else made[name] = value
  }
  return made
}

const ownField = { enumerable: true, configurable: true, writable: true }

/** The variable of the innermost macro that has this name, else the value of the scope. */
function lookUpName(machine: Machine, name: string): JsonValue | undefined {
  for (let variable = machine.variable; variable; variable = variable.outer)
    if (variable.name === name) return variable.value
  return fieldOf(machine.scope, name)
}

/** Own fields only: JSON inherits nothing but functions and `__proto__`. */
function fieldOf(holder: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!isJsonObject(holder)) return undefined
  const value = holder[name]
  const canBeInherited = typeof value === 'function' || name === '__proto__'
  return canBeInherited && !Object.hasOwn(holder, name) ? undefined : value
}

function lookUpPosition(machine: Machine, tree: Tree<'index'>): JsonValue | undefined {
  const holder = look(machine, tree.of)
  if (holder === undefined) return undefined
  const at = run(machine, tree.index)
  if (Array.isArray(holder)) {
    return typeof at === 'number' && Number.isInteger(at)
      ? (holder as readonly JsonValue[])[at]
      : fail(machine, tree.index, `a list position is a whole number, not ${describePosition(at)}`)
  }
  if (!isJsonObject(holder)) return undefined
  return typeof at === 'string'
    ? fieldOf(holder, at)
    : fail(machine, tree.index, `the name of a field is a text, not ${describePosition(at)}`)
}

function describePosition(value: JsonValue): string {
  return typeof value === 'number' || value === null ? String(value) : nameKind(value)
}

/** Names where the path ended: at a holder without the field, or at a value that has no fields at all. */
function failMissing(machine: Machine, tree: ExpressionTree): never {
  if (tree.kind !== 'member' && tree.kind !== 'index') return fail(machine, tree, 'there is no such value')
  const { of } = tree
  const holder = look(machine, of)
  if (holder === undefined) return failMissing(machine, of)
  if (isJsonObject(holder)) return fail(machine, tree, 'there is no such value')
  const items = Array.isArray(holder) ? holder.length : undefined
  const held =
    items === undefined ? nameKind(holder) : `a list of ${items === 1 ? '1 item' : `${items} items`}`
  return fail(machine, tree, `there is no such value, for "${machine.source.slice(...of.span)}" is ${held}`)
}

function runCall(machine: Machine, tree: Tree<'call'>): JsonValue {
  const called = functionOf(tree.function)
  if (!called) return fail(machine, tree, 'there is no such function')
  const values: JsonValue[] = []
  for (const argument of tree.arguments) values.push(run(machine, argument))
  machine.at = tree
  work(machine, stepsForACall)
  for (let index = 0; index < values.length; index++) checkArgument(machine, called, index, values[index])
  const value = called.evaluate(values, machine)
  return typeof value === 'number' ? finite(machine, tree, value) : value
}

/** Fails where an argument is of a kind that the function does not take. */
function checkArgument(
  machine: Machine,
  { name, parameters }: ExpressionFunction,
  index: number,
  value: JsonValue = null,
): void {
  const parameter = parameters[index]
  if (!parameter) return
  const { kinds, items } = parameter
  if (!kinds.includes(kindOf(value))) {
    const what = `${describeKinds(kinds)}, not ${nameKind(value)}`
    fail(machine, machine.at, `${name}(${parameter.name}) needs ${what}`)
  }
  if (items) checkItems(machine, `${name}(${parameter.name}) needs`, value as readonly JsonValue[], items)
}

function checkItems(
  machine: Machine,
  needs: string,
  list: readonly JsonValue[],
  kinds: readonly Kind[],
): void {
  work(machine, list.length)
  const wrong = list.findIndex((item) => !kinds.includes(kindOf(item)))
  if (wrong < 0) return
  const what = `${describeKinds(kinds)} at each position, and [${wrong}] is ${nameKind(list[wrong] as JsonValue)}`
  fail(machine, machine.at, `${needs} ${what}`)
}
