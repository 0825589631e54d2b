import { checkCall, checkMacro } from './check-call.ts'
import { checkBinary } from './check-operators.ts'
import { checkDefault, checkIndex, checkMember, checkName, visitGuarded } from './check-path.ts'
import type { Checker, CheckProblem, Names } from './checker.ts'
import { withGuards } from './guards.ts'
import type { ExpressionTree } from './tree.ts'
import {
  anything,
  canBe,
  describeKinds,
  either,
  eitherOf,
  type Field,
  kindOf,
  listOf,
  mapOf,
  numberType,
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
      if (canBe(type, ...kinds)) return type
      const message = `${why} needs ${describeKinds(kinds)}, and this is ${describeKinds(type.kinds)}`
      return checker.report('WRONG_KIND', message, tree.span)
    },
    report(code, message, span, hint) {
      problems.push({ code, message, span, ...(hint === undefined ? {} : { hint }) })
      return anything
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
      return checkMember(checker, checker.visit(tree.of, names), tree, names)
    case 'index':
      return checkIndex(checker, checker.visit(tree.of, names), tree, names)
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
