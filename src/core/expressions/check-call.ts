import type { Checker, Names } from './checker.ts'
import type { Parameter } from './function.ts'
import { functionOf } from './functions.ts'
import { guardedType, withVariable } from './guards.ts'
import type { ExpressionTree } from './tree.ts'
import {
  anything,
  canBe,
  describeKinds,
  itemsOf,
  listOf,
  textType,
  truth,
  type ValueType,
} from './value-type.ts'

export function checkCall(
  checker: Checker,
  tree: ExpressionTree & { kind: 'call' },
  names: Names,
): ValueType {
  const called = functionOf(tree.function)
  const types = tree.arguments.map((argument, position) => {
    const parameter = called?.parameters[position]
    return parameter
      ? checkArgument(checker, tree.function, parameter, argument, names)
      : checker.visit(argument, names)
  })
  return called?.resultOf?.(types) ?? called?.result ?? anything
}

function checkArgument(
  checker: Checker,
  name: string,
  parameter: Parameter,
  argument: ExpressionTree,
  names: Names,
): ValueType {
  const { kinds, items, check } = parameter
  const needs = `${name}(${parameter.name})`
  const type = checker.expect(argument, names, kinds, needs)
  if (items && type.items?.kinds?.length && !canBe(type.items, ...items)) {
    const message = `${needs} needs ${describeKinds(items)} at each position, and this has ${describeKinds(type.items.kinds)}`
    checker.report('WRONG_KIND', message, argument.span)
  }
  const problem = argument.kind === 'value' && canBe(type, ...kinds) ? check?.(argument.value) : undefined
  if (problem !== undefined) checker.report('WRONG_VALUE', problem, argument.span)
  return type
}

export function checkMacro(
  checker: Checker,
  tree: ExpressionTree & { kind: 'macro' },
  names: Names,
): ValueType {
  const holder = checker.expect(tree.of, names, ['list', 'map'], tree.macro)
  const item = itemOf(holder)
  const inner = withVariable(names, tree.variable, item)
  if (tree.macro === 'map') return listOf(checker.visit(tree.body, inner))
  checker.expect(tree.body, inner, ['boolean'], `the condition of ${tree.macro}`)
  return tree.macro === 'filter' ? listOf(guardedType(item, tree.variable, tree.body)) : truth
}

/** What the variable stands for: an item of a list, or the name of a field. */
function itemOf(holder: ValueType): ValueType {
  if (!canBe(holder, 'map')) return itemsOf(holder)
  return canBe(holder, 'list') ? anything : textType
}
