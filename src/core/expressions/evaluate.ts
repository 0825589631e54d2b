import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { RunbookError } from '../run-error.ts'
import { expressionFunctions } from './functions.ts'
import type { BinaryOperator, Expression, ExpressionTree } from './tree.ts'
import { describeKinds, kindOf as kindName } from './value-type.ts'

/** The names an expression sees. */
export type Scope = JsonObject

/** How much work one evaluation may do: nodes visited. */
const maxSteps = 1_000_000
/** How much it may make: characters of texts, items of lists. */
const maxSize = 10_000_000

const functions = new Map(expressionFunctions.map((entry) => [entry.name, entry]))

/**
 * Evaluates an expression on the values of a scope: the same answer for the same values, always, and never more
 * than a bounded amount of work. Throws `ExpressionFailed` or `ExpressionTooCostly`.
 */
export function evaluate(expression: Expression, scope: Scope): JsonValue {
  let steps = 0
  let size = 0

  const refuse = (message: string, tree: ExpressionTree): never => {
    const part = expression.source.slice(...tree.span)
    const where = part === expression.source ? '' : ` in "${expression.source}"`
    throw new RunbookError('ExpressionFailed', `${message}: "${part}"${where}`)
  }

  const tooCostly = (what: string): never => {
    throw new RunbookError('ExpressionTooCostly', `${what} in "${expression.source}"`)
  }

  /** Counts what an operation has made. */
  const charge = <T extends JsonValue>(value: T): T => {
    if (typeof value === 'string' || Array.isArray(value)) size += value.length
    if (size > maxSize) tooCostly(`more than ${maxSize} characters and items made`)
    return value
  }

  const visit = (tree: ExpressionTree, names: Scope): JsonValue => {
    if (++steps > maxSteps) tooCostly(`more than ${maxSteps} steps`)
    switch (tree.kind) {
      case 'value':
        return tree.value
      case 'name':
      case 'member':
      case 'index':
        return orElse(lookUp(tree, names), () => refuse('there is no such value', tree))
      case 'list':
        return tree.items.map((item) => visit(item, names))
      case 'map':
        return visitMap(tree, names)
      case 'not':
        return !truth(tree.of, names)
      case 'negate':
        return -number(tree.of, names)
      case 'and':
        return truth(tree.left, names) && truth(tree.right, names)
      case 'or':
        return truth(tree.left, names) || truth(tree.right, names)
      case 'binary':
        return visitBinary(tree, names)
      case 'conditional':
        return truth(tree.condition, names) ? visit(tree.whenTrue, names) : visit(tree.whenFalse, names)
      case 'call':
        return visitCall(tree, names)
      case 'macro':
        return visitMacro(tree, names)
      case 'has':
        return lookUp(tree.of, names) !== undefined
      case 'default':
        return orElse(lookUp(tree.of, names), () => visit(tree.otherwise, names))
    }
  }

  /** Own properties only; undefined where the path ends early. A null is a value. */
  const lookUp = (tree: ExpressionTree, names: Scope): JsonValue | undefined => {
    if (tree.kind === 'name') return own(names, tree.name)
    if (tree.kind === 'member') {
      const holder = lookUp(tree.of, names)
      return isJsonObject(holder) ? own(holder, tree.name) : undefined
    }
    if (tree.kind === 'index') {
      const holder = lookUp(tree.of, names)
      return holder === undefined ? undefined : at(holder, visit(tree.index, names), tree)
    }
    return visit(tree, names)
  }

  const at = (holder: JsonValue, index: JsonValue, tree: ExpressionTree): JsonValue | undefined => {
    if (Array.isArray(holder)) {
      if (typeof index !== 'number' || !Number.isInteger(index)) {
        return refuse('a list position must be a whole number', tree)
      }
      return holder[index]
    }
    return isJsonObject(holder) && typeof index === 'string' ? own(holder, index) : undefined
  }

  const truth = (tree: ExpressionTree, names: Scope): boolean => {
    const value = visit(tree, names)
    return typeof value === 'boolean' ? value : refuse(`${kindOf(value)} where true or false is needed`, tree)
  }

  const number = (tree: ExpressionTree, names: Scope): number => {
    const value = visit(tree, names)
    return typeof value === 'number' ? value : refuse(`${kindOf(value)} where a number is needed`, tree)
  }

  const visitMap = (tree: ExpressionTree & { kind: 'map' }, names: Scope): JsonValue =>
    Object.fromEntries(
      tree.entries.map(([key, value]) => {
        const name = visit(key, names)
        if (typeof name !== 'string') return refuse('a key must be a text', key)
        return [name, visit(value, names)]
      }),
    )

  const visitBinary = (tree: ExpressionTree & { kind: 'binary' }, names: Scope): JsonValue => {
    const left = visit(tree.left, names)
    const right = visit(tree.right, names)
    const result = applyBinary(tree.operator, left, right)
    if (result === undefined || (typeof result === 'number' && !Number.isFinite(result))) {
      return refuse(`${tree.operator} does not work on ${kindOf(left)} and ${kindOf(right)}`, tree)
    }
    return charge(result)
  }

  const visitCall = (tree: ExpressionTree & { kind: 'call' }, names: Scope): JsonValue => {
    const called = functions.get(tree.function)
    if (!called) return refuse('there is no such function', tree)
    const values = tree.arguments.map((argument) => visit(argument, names))
    for (const [position, value] of values.entries()) {
      const { kinds = [], name = '' } = called.parameters[position] ?? {}
      if (kinds.includes(kindName(value))) continue
      refuse(`${called.name}(${name}) needs ${describeKinds(kinds)}, not ${kindOf(value)}`, tree)
    }
    return charge(
      called.evaluate(values, (message) => refuse(message, tree)) ?? refuse('the list is empty', tree),
    )
  }

  const visitMacro = (tree: ExpressionTree & { kind: 'macro' }, names: Scope): JsonValue => {
    const holder = visit(tree.of, names)
    const items = Array.isArray(holder) ? holder : isJsonObject(holder) ? Object.keys(holder) : undefined
    if (!items) return refuse(`${tree.macro} needs a list or a map, not ${kindOf(holder)}`, tree)
    const inner = (item: JsonValue): Scope => ({ ...names, [tree.variable]: item })
    switch (tree.macro) {
      case 'map':
        return items.map((item) => visit(tree.body, inner(item)))
      case 'filter':
        return items.filter((item) => truth(tree.body, inner(item)))
      case 'all':
        return items.every((item) => truth(tree.body, inner(item)))
      case 'exists':
        return items.some((item) => truth(tree.body, inner(item)))
      case 'exists_one':
        return items.filter((item) => truth(tree.body, inner(item))).length === 1
    }
  }

  return visit(expression.tree, scope)
}

/** Unlike `??`, takes null for the value it is. */
function orElse(value: JsonValue | undefined, otherwise: () => JsonValue): JsonValue {
  return value === undefined ? otherwise() : value
}

function own(holder: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(holder, name) ? holder[name] : undefined
}

function applyBinary(operator: BinaryOperator, left: JsonValue, right: JsonValue): JsonValue | undefined {
  if (operator === '==') return isEqual(left, right)
  if (operator === '!=') return !isEqual(left, right)
  if (operator === 'in') {
    if (Array.isArray(right)) return right.some((item) => isEqual(item, left))
    return isJsonObject(right) && typeof left === 'string' ? Object.hasOwn(right, left) : undefined
  }
  if (operator === '+') return add(left, right)
  if (typeof left === 'string' && typeof right === 'string') return compare(operator, left, right)
  if (typeof left !== 'number' || typeof right !== 'number') return undefined
  if (operator === '-') return left - right
  if (operator === '*') return left * right
  if (operator === '/') return left / right
  if (operator === '%') return left % right
  return compare(operator, left, right)
}

function add(left: JsonValue, right: JsonValue): JsonValue | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left + right
  if (typeof left === 'string' && typeof right === 'string') return left + right
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right]
  return undefined
}

function compare<T extends string | number>(
  operator: BinaryOperator,
  left: T,
  right: T,
): boolean | undefined {
  if (operator === '<') return left < right
  if (operator === '<=') return left <= right
  if (operator === '>') return left > right
  if (operator === '>=') return left >= right
  return undefined
}

function isEqual(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length && left.every((item, index) => isEqual(item, right[index] as JsonValue))
    )
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key] as JsonValue, right[key] as JsonValue))
  )
}

/** The kind of a value, for people. */
export function kindOf(value: JsonValue): string {
  return describeKinds([kindName(value)])
}
