import { isJsonObject, type JsonValue } from '../json.ts'
import { fail, type Machine } from './machine.ts'
import { type Compile, nameKind, type Run } from './run.ts'
import type { ExpressionTree } from './tree.ts'

/** Finds what a path leads to: undefined where it ends early. A null is a value. Own fields only. */
export type Look = (machine: Machine) => JsonValue | undefined

export function compileLook(tree: ExpressionTree, variables: readonly string[], compile: Compile): Look {
  switch (tree.kind) {
    case 'name':
      return lookUpName(tree.name, variables)
    case 'member':
      return lookUpField(compileLook(tree.of, variables, compile), tree.name)
    case 'index':
      return lookUpPosition(tree, compileLook(tree.of, variables, compile), compile(tree.index, variables))
    default:
      return compile(tree, variables)
  }
}

/** A path that must lead to something. */
export function compilePath(
  tree: ExpressionTree & { kind: 'name' | 'member' | 'index' },
  variables: readonly string[],
  compile: Compile,
): Run {
  const look = compileLook(tree, variables, compile)
  return (machine) => {
    const value = look(machine)
    return value === undefined ? failMissing(machine, tree, variables, compile) : value
  }
}

function lookUpName(name: string, variables: readonly string[]): Look {
  const depth = variables.lastIndexOf(name)
  if (depth >= 0) return ({ variables: values }) => values[depth]
  return ({ scope }) => (Object.hasOwn(scope, name) ? scope[name] : undefined)
}

function lookUpField(of: Look, name: string): Look {
  return (machine) => {
    const holder = of(machine)
    return isJsonObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined
  }
}

function lookUpPosition(tree: ExpressionTree & { kind: 'index' }, of: Look, position: Run): Look {
  return (machine) => {
    const holder = of(machine)
    if (holder === undefined) return undefined
    const at = position(machine)
    if (Array.isArray(holder)) {
      return typeof at === 'number' && Number.isInteger(at)
        ? (holder as readonly JsonValue[])[at]
        : fail(machine, tree.index, `a list position is a whole number, not ${describe(at)}`)
    }
    if (!isJsonObject(holder)) return undefined
    return typeof at === 'string'
      ? Object.hasOwn(holder, at)
        ? holder[at]
        : undefined
      : fail(machine, tree.index, `the name of a field is a text, not ${describe(at)}`)
  }
}

function describe(value: JsonValue): string {
  return typeof value === 'number' || value === null ? String(value) : nameKind(value)
}

/** Says where the path ended: at a holder without the field, or at a value that has no fields at all. */
function failMissing(
  machine: Machine,
  tree: ExpressionTree & { kind: 'name' | 'member' | 'index' },
  variables: readonly string[],
  compile: Compile,
): never {
  if (tree.kind === 'name') return fail(machine, tree, 'there is no such value')
  const { of } = tree
  const holder = compileLook(of, variables, compile)(machine)
  if (holder === undefined && (of.kind === 'name' || of.kind === 'member' || of.kind === 'index')) {
    return failMissing(machine, of, variables, compile)
  }
  const what =
    holder === undefined || isJsonObject(holder) ? '' : `, for ${subject(machine, of)} is ${held(holder)}`
  return fail(machine, tree, `there is no such value${what}`)
}

function subject(machine: Machine, { span }: ExpressionTree): string {
  return `"${machine.source.slice(...span)}"`
}

function held(holder: JsonValue): string {
  if (!Array.isArray(holder)) return nameKind(holder)
  return holder.length === 1 ? 'a list of 1 item' : `a list of ${holder.length} items`
}
