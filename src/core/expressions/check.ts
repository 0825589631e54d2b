import type { JsonValue } from '../json.ts'
import { checkBinary } from './check-operators.ts'
import { checkDefault, checkIndex, checkMember, checkName, reading, visitGuarded } from './check-path.ts'
import type { Checker, CheckProblem, Names } from './checker.ts'
import type { Parameter } from './function.ts'
import { functionOf } from './functions.ts'
import { guardedType, withGuards, withVariable } from './guards.ts'
import { scalars } from './run-macro.ts'
import type { ExpressionTree } from './tree.ts'
import {
  anyType,
  canBe,
  describeKinds,
  either,
  eitherOf,
  type Field,
  itemsOf,
  type Kind,
  kindOf,
  listOf,
  mapOf,
  numberType,
  textType,
  truth,
  type ValueType,
} from './value-type.ts'

export type { CheckProblem, Names } from './checker.ts'

/** The type of an expression's value, and everything that is wrong with it. */
export function checkExpression(
  tree: ExpressionTree,
  names: Names,
): { readonly type: ValueType; readonly problems: readonly CheckProblem[] } {
  const problems: CheckProblem[] = []
  const type = createChecker(problems).visit(tree, names)
  return { type, problems }
}

function createChecker(problems: CheckProblem[]): Checker {
  const checker: Checker = {
    visit: (tree, names) => visit(checker, tree, names),
    expect(tree, names, kinds, why) {
      const type = checker.visit(tree, names)
      const problem = nullProblem(tree, type, kinds)
      if (problem) checker.report('MISSING_GUARD', problem.message, tree.span, problem.hint)
      if (canBe(type, ...kinds)) return type
      const message = `${why} needs ${describeKinds(kinds)}, and this is ${describeKinds(type.kinds)}`
      return checker.report('WRONG_KIND', message, tree.span)
    },
    report(code, message, span, hint) {
      // One guard for a whole path is enough.
      const isAgain = problems.some((one) => one.code === code && one.span[0] === span[0])
      if (code === 'MISSING_GUARD' && isAgain) return anyType
      problems.push({ code, message, span, ...(hint === undefined ? {} : { hint }) })
      return anyType
    },
  }
  return checker
}

function visit(checker: Checker, tree: ExpressionTree, names: Names): ValueType {
  switch (tree.kind) {
    case 'value':
      return { kinds: [kindOf(tree.value)], values: [tree.value] }
    case 'name':
      return checkName(checker, tree, names)
    case 'member':
      return checkMember(checker, checker.visit(tree.of, reading(tree, names)), tree, names)
    case 'index':
      return checkIndex(checker, checker.visit(tree.of, reading(tree, names)), tree, names)
    case 'list':
      return listOf(eitherOf(tree.items.map((item) => checker.visit(item, names))))
    case 'map':
      return checkMap(checker, tree, names)
    case 'not':
      checker.expect(tree.of, names, ['boolean'], '"!"')
      return truth
    case 'negate':
      checker.expect(tree.of, names, ['number'], '"-"')
      return numberType
    case 'and':
    case 'or': {
      const operator = tree.kind === 'and' ? '"&&"' : '"||"'
      checker.expect(tree.left, names, ['boolean'], operator)
      checker.expect(tree.right, withGuards(names, tree.left, tree.kind === 'and'), ['boolean'], operator)
      return truth
    }
    case 'binary':
      return checkBinary(checker, tree, names)
    case 'conditional': {
      checker.expect(tree.condition, names, ['boolean'], 'the condition of "?"')
      const whenTrue = checker.visit(tree.whenTrue, withGuards(names, tree.condition, true))
      return either(whenTrue, checker.visit(tree.whenFalse, withGuards(names, tree.condition, false)))
    }
    case 'call':
      return checkCall(checker, tree, names)
    case 'macro':
      return checkMacro(checker, tree, names)
    case 'has':
      visitGuarded(checker, tree.of, names)
      return truth
    case 'default':
      return checkDefault(checker, tree, names)
  }
}

/** What is wrong where a function may give null, such as a pattern that finds nothing, and null does not fit. */
export function nullProblem(
  tree: ExpressionTree,
  { kinds: given }: ValueType,
  kinds: readonly Kind[],
): { readonly message: string; readonly hint: string } | undefined {
  if (kinds.includes('null') || given?.includes('null') === false) return undefined
  if (isNullWritten(tree))
    return {
      message: `this can be null, and ${describeKinds(kinds)} is needed`,
      hint: 'write a value for that case in the place of null',
    }
  if (given === undefined || tree.kind !== 'call') return undefined
  return {
    message: `${tree.function} can give null, and ${describeKinds(kinds)} is needed`,
    hint: `give a value for that case: default(${tree.function}(…), …)`,
  }
}

/** Whether null is one of the values that the author has written for it. */
function isNullWritten(tree: ExpressionTree): boolean {
  if (tree.kind === 'value') return tree.value === null
  if (tree.kind === 'default') return isNullWritten(tree.otherwise)
  return tree.kind === 'conditional' && (isNullWritten(tree.whenTrue) || isNullWritten(tree.whenFalse))
}

function checkMap(checker: Checker, tree: ExpressionTree & { kind: 'map' }, names: Names): ValueType {
  const fields = new Map<string, Field>()
  let isOpen = false
  for (const [key, value] of tree.entries) {
    if (key.kind === 'name' && !Object.hasOwn(names.types, key.name)) {
      const hint = `the name of a field is a text: '${key.name}'`
      checker.report('UNKNOWN_NAME', `there is no "${key.name}" here`, key.span, hint)
    } else checker.expect(key, names, ['text'], 'the name of a field')
    const type = checker.visit(value, names)
    if (key.kind !== 'value' || typeof key.value !== 'string') isOpen = true
    else if (fields.has(key.value)) {
      checker.report('DUPLICATE_KEY', `the map names "${key.value}" twice`, key.span)
    } else fields.set(key.value, { type })
  }
  return mapOf(Object.fromEntries(fields), isOpen)
}

function checkCall(checker: Checker, tree: ExpressionTree & { kind: 'call' }, names: Names): ValueType {
  const called = functionOf(tree.function)
  const types = tree.arguments.map((argument, position) => {
    const parameter = called?.parameters[position]
    return parameter
      ? checkArgument(checker, tree, parameter, argument, names)
      : checker.visit(argument, names)
  })
  return called?.resultOf?.(types) ?? called?.result ?? anyType
}

function checkArgument(
  checker: Checker,
  call: ExpressionTree & { kind: 'call' },
  parameter: Parameter,
  argument: ExpressionTree,
  names: Names,
): ValueType {
  const { kinds, items, check } = parameter
  const needs = `${call.function}(${parameter.name})`
  const type = checker.expect(argument, names, kinds, needs)
  if (items && type.items?.kinds?.length && !canBe(type.items, ...items)) {
    const message = `${needs} needs ${describeKinds(items)} at each position, and this has ${describeKinds(type.items.kinds)}`
    checker.report('WRONG_KIND', message, argument.span)
  }
  const isWritten = argument.kind === 'value' && kinds.includes(kindOf(argument.value))
  const problem = isWritten ? check?.(argument.value, call.arguments.map(writtenValue)) : undefined
  if (problem !== undefined) checker.report('WRONG_VALUE', problem, argument.span)
  return type
}

function writtenValue(tree: ExpressionTree): JsonValue | undefined {
  return tree.kind === 'value' ? tree.value : undefined
}

function checkMacro(checker: Checker, tree: ExpressionTree & { kind: 'macro' }, names: Names): ValueType {
  const { macro, variable, body } = tree
  const item = itemOf(checker.expect(tree.of, names, ['list', 'map'], macro))
  const inner = withVariable(names, variable, item)
  switch (macro) {
    case 'map':
      return listOf(checker.visit(body, inner))
    case 'sortBy':
      checker.expect(body, inner, ['number', 'text'], 'the key of sortBy')
      return listOf(item)
    case 'groupBy': {
      const key = checker.expect(body, inner, scalars, 'the key of groupBy')
      return listOf(mapOf({ key: { type: key }, items: { type: listOf(item) } }))
    }
    case 'toMap': {
      checker.expect(body, inner, ['text'], 'the name of a field')
      const value = tree.value ? checker.visit(tree.value, inner) : anyType
      return { kinds: ['map'], isOpen: true, items: value }
    }
    default:
      checker.expect(body, inner, ['boolean'], `the condition of ${macro}`)
      return macro === 'filter' ? listOf(guardedType(item, variable, body)) : truth
  }
}

/** What the variable stands for: an item of a list, or the name of a field. */
function itemOf(holder: ValueType): ValueType {
  if (!canBe(holder, 'map')) return itemsOf(holder)
  return canBe(holder, 'list') ? anyType : textType
}
