import type { JsonValue } from '../json.ts'
import { compileCall } from './compile-call.ts'
import { compileMacro } from './compile-macro.ts'
import { compileBinary } from './compile-operators.ts'
import { compileLook, compilePath } from './compile-path.ts'
import { fail } from './machine.ts'
import { asTruth, nameKind, type Run } from './run.ts'
import type { ExpressionTree } from './tree.ts'

/** Makes a tree ready to run. Nothing is decided here that the tree does not say. */
export function compile(tree: ExpressionTree, variables: readonly string[]): Run {
  const inner = (part: ExpressionTree): Run => compile(part, variables)
  switch (tree.kind) {
    case 'value': {
      const { value } = tree
      return () => value
    }
    case 'name':
    case 'member':
    case 'index':
      return compilePath(tree, variables, compile)
    case 'list': {
      const items = tree.items.map(inner)
      return (machine) => items.map((item) => item(machine))
    }
    case 'map':
      return compileMap(tree, inner)
    case 'not': {
      const of = asTruth(inner(tree.of), tree.of)
      return (machine) => !of(machine)
    }
    case 'negate':
      return compileNegation(tree, inner(tree.of))
    case 'and':
    case 'or':
      return compileLogic(tree, inner)
    case 'binary':
      return compileBinary(tree, inner(tree.left), inner(tree.right))
    case 'conditional':
      return compileConditional(tree, inner)
    case 'call':
      return compileCall(tree, tree.arguments.map(inner))
    case 'macro':
      return compileMacro(tree, variables, compile)
    case 'has': {
      const look = compileLook(tree.of, variables, compile)
      return (machine) => look(machine) !== undefined
    }
    case 'default': {
      const look = compileLook(tree.of, variables, compile)
      const otherwise = inner(tree.otherwise)
      return (machine) => {
        const value = look(machine)
        return value === undefined ? otherwise(machine) : value
      }
    }
  }
}

type Inner = (part: ExpressionTree) => Run

/** Left to right: an error on the left is an error, whatever stands on the right. */
function compileLogic(tree: ExpressionTree & { kind: 'and' | 'or' }, inner: Inner): Run {
  const left = asTruth(inner(tree.left), tree.left)
  const right = asTruth(inner(tree.right), tree.right)
  return tree.kind === 'and'
    ? (machine) => left(machine) && right(machine)
    : (machine) => left(machine) || right(machine)
}

function compileConditional(tree: ExpressionTree & { kind: 'conditional' }, inner: Inner): Run {
  const condition = asTruth(inner(tree.condition), tree.condition)
  const whenTrue = inner(tree.whenTrue)
  const whenFalse = inner(tree.whenFalse)
  return (machine) => (condition(machine) ? whenTrue(machine) : whenFalse(machine))
}

function compileNegation(tree: ExpressionTree & { kind: 'negate' }, of: Run): Run {
  return (machine) => {
    const value = of(machine)
    // Not `-value`: JSON has no zero with a sign.
    return typeof value === 'number'
      ? 0 - value
      : fail(machine, tree.of, `${nameKind(value)} where a number is needed`)
  }
}

type MapTree = ExpressionTree & { readonly kind: 'map' }

/** Where the names are written out, which is nearly always, nothing is left to be found out about them. */
function compileMap(tree: MapTree, inner: Inner): Run {
  const values = tree.entries.map(([, value]) => inner(value))
  const names = tree.entries.flatMap(([{ kind, ...key }]) =>
    kind === 'value' && 'value' in key && typeof key.value === 'string' ? [key.value] : [],
  )
  const isPlain = names.length === values.length && new Set(names).size === names.length
  if (!isPlain || names.includes('__proto__')) return compileMapByNames(tree, inner, values)
  return (machine) => {
    const made: Record<string, JsonValue> = {}
    for (let index = 0; index < names.length; index++) {
      made[names[index] as string] = (values[index] as Run)(machine)
    }
    return made
  }
}

function compileMapByNames(tree: MapTree, inner: Inner, values: readonly Run[]): Run {
  const keys = tree.entries.map(([key]) => ({ tree: key, run: inner(key) }))
  return (machine) => {
    // A `Map`, for an assignment would take "__proto__" for something else than a name.
    const made = new Map<string, JsonValue>()
    for (const [index, key] of keys.entries()) {
      const name = key.run(machine)
      if (typeof name !== 'string') {
        return fail(machine, key.tree, `the name of a field is a text, not ${nameKind(name)}`)
      }
      if (made.has(name)) return fail(machine, tree, `the map names ${JSON.stringify(name)} twice`)
      made.set(name, (values[index] as Run)(machine))
    }
    return Object.fromEntries(made)
  }
}
