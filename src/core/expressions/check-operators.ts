import { checkMember, checkUnknownField } from './check-path.ts'
import type { Checker, Names } from './checker.ts'
import type { ExpressionTree } from './tree.ts'
import {
  canBe,
  canBeAlike,
  canBeEqual,
  describeKinds,
  either,
  eitherOf,
  type Field,
  fieldOf,
  itemsOf,
  type Kind,
  kindOf,
  listOf,
  numberType,
  truth,
  type ValueType,
} from './value-type.ts'

type Binary = ExpressionTree & { readonly kind: 'binary' }

export function checkBinary(checker: Checker, tree: Binary, names: Names): ValueType {
  if (tree.operator === '-' && tree.left.kind === 'member')
    return checkHyphen(checker, { ...tree, left: tree.left }, names)
  const left = checker.visit(tree.left, names)
  const right = checker.visit(tree.right, names)
  switch (tree.operator) {
    case '==':
    case '!=':
      return checkEquality(checker, tree, left, right)
    case 'in':
      return checkMembership(checker, tree, left, right)
    case '+':
      return checkAddition(checker, tree, left, right)
    case '<':
    case '<=':
    case '>':
    case '>=':
      checkCommonKind(checker, tree, left, right, ['number', 'text', 'boolean'])
      return truth
    default:
      return checkArithmetic(checker, tree, left, right)
  }
}

/** `inputs.host-name` is a subtraction, and its author may mean a field. */
function checkHyphen(
  checker: Checker,
  tree: Binary & { readonly left: ExpressionTree & { kind: 'member' } },
  names: Names,
): ValueType {
  const { left, right, span } = tree
  const holder = checker.visit(left.of, names)
  const name = `${left.name}-${rootName(right)}`
  if (fieldOf(holder, name)) {
    const hint = `write the field in brackets: ['${name}']`
    return checker.report('UNKNOWN_FIELD', 'this is a subtraction', span, hint)
  }
  const type = checkMember(checker, holder, left, names)
  return checkArithmetic(checker, tree, type, checker.visit(right, names))
}

function checkArithmetic(checker: Checker, tree: Binary, left: ValueType, right: ValueType): ValueType {
  checkCommonKind(checker, tree, left, right, ['number'])
  return numberType
}

function rootName(tree: ExpressionTree): string | undefined {
  if (tree.kind === 'name') return tree.name
  return tree.kind === 'member' || tree.kind === 'index' ? rootName(tree.of) : undefined
}

function checkEquality(checker: Checker, tree: Binary, left: ValueType, right: ValueType): ValueType {
  const areLiterals = tree.left.kind === 'value' && tree.right.kind === 'value'
  if (!canBeAlike(left, right)) {
    const message = `${describeKinds(left.kinds)} is never equal to ${describeKinds(right.kinds)}`
    checker.report('NEVER_EQUAL', message, tree.span, hintForKinds(left, right))
  } else if (!areLiterals && !canBeEqual(left, right)) reportNotListed(checker, tree, left, right)
  return truth
}

function hintForKinds(left: ValueType, right: ValueType): string | undefined {
  if (isOnly(left, 'null') || isOnly(right, 'null')) return 'has(…) asks whether a value is there'
  const types = [left, right]
  const isMix = types.some((type) => isOnly(type, 'text')) && types.some((type) => isOnly(type, 'number'))
  return isMix ? 'nothing is converted unasked: string(…), number(…)' : undefined
}

function isOnly({ kinds }: ValueType, kind: Kind): boolean {
  return kinds?.length === 1 && kinds[0] === kind
}

/** A value that is compared with one that an `enum` does not list. */
function reportNotListed(checker: Checker, tree: Binary, left: ValueType, right: ValueType): void {
  const literal =
    tree.left.kind === 'value' ? tree.left : tree.right.kind === 'value' ? tree.right : undefined
  const listed = (literal === tree.left ? right : left).values ?? []
  const message =
    literal === undefined ? 'the two sides have no value in common' : `this is never ${show(literal)}`
  const hint = `one of: ${listed.map((value) => JSON.stringify(value)).join(', ')}`
  checker.report('NEVER_EQUAL', message, (literal ?? tree).span, hint)
}

function show(literal: ExpressionTree): string {
  return literal.kind === 'value' ? JSON.stringify(literal.value) : 'that'
}

function checkMembership(checker: Checker, tree: Binary, left: ValueType, right: ValueType): ValueType {
  const { left: wanted, right: holder } = tree
  if (!canBe(right, 'list', 'map')) {
    const hint = canBe(right, 'text') ? 'parts of a text: text.contains(…)' : undefined
    checker.report(
      'WRONG_KIND',
      `"in" needs a list or a map, not ${describeKinds(right.kinds)}`,
      holder.span,
      hint,
    )
  } else if (!canBe(right, 'list')) {
    if (!canBe(left, 'text')) {
      checker.report(
        'WRONG_KIND',
        `the name of a field is a text, not ${describeKinds(left.kinds)}`,
        wanted.span,
      )
    } else if (wanted.kind === 'value' && !fieldOf(right, String(wanted.value))) {
      const path = { kind: 'member', of: holder, name: String(wanted.value), span: wanted.span } as const
      checkUnknownField(checker, right, path.name, path)
    }
  } else if (holder.kind === 'list') {
    for (const item of holder.items) {
      if (item.kind !== 'value') continue
      const type: ValueType = { kinds: [kindOf(item.value)], values: [item.value] }
      checkEquality(checker, { ...tree, operator: '==', right: item, span: item.span }, left, type)
    }
  } else if (!canBe(right, 'map') && !canBeEqual(left, itemsOf(right))) {
    const message = `${describeKinds(left.kinds)} is never among ${describeKinds(itemsOf(right).kinds)}`
    checker.report('NEVER_EQUAL', message, tree.span)
  }
  return truth
}

function checkAddition(checker: Checker, tree: Binary, left: ValueType, right: ValueType): ValueType {
  const kinds = checkCommonKind(checker, tree, left, right, ['number', 'text', 'list', 'map'])
  if (kinds.length !== 1) return { kinds }
  if (kinds[0] === 'map') return mergedType(left, right)
  return kinds[0] === 'list' ? listOf(either(left.items ?? {}, right.items ?? {})) : { kinds }
}

/** A field of the right side hides that of the left side, unless it can be missing. */
function mergedType(left: ValueType, right: ValueType): ValueType {
  const names = new Set([...Object.keys(left.fields ?? {}), ...Object.keys(right.fields ?? {})])
  const [unknownLeft, unknownRight] = [unknownFieldsOf(left), unknownFieldsOf(right)]
  const unknown = [unknownLeft, unknownRight].filter((type) => type !== undefined)
  const fields = [...names].map((name): [string, Field] => {
    const [before, after] = [fieldOf(left, name), fieldOf(right, name)]
    if (after && !after.isOptional) return [name, after]
    const types = [before?.type ?? unknownLeft, after?.type ?? unknownRight].filter(
      (type) => type !== undefined,
    )
    const isSure = before !== undefined && !before.isOptional
    return [name, { ...(isSure ? {} : (before ?? after)), type: eitherOf(types) }]
  })
  return {
    kinds: ['map'],
    fields: Object.fromEntries(fields),
    isOpen: unknown.length > 0,
    ...(unknown.length === 0 ? {} : { items: eitherOf(unknown) }),
  }
}

/** What the fields of a map are whose names are not known; undefined where it has none. */
function unknownFieldsOf(type: ValueType): ValueType | undefined {
  return type.fields === undefined || type.isOpen ? itemsOf(type) : undefined
}

/** The kinds that both sides can be, of those that the operator works on. */
function checkCommonKind(
  checker: Checker,
  tree: Binary,
  left: ValueType,
  right: ValueType,
  kinds: readonly Kind[],
): readonly Kind[] {
  const common = kinds.filter((kind) => canBe(left, kind) && canBe(right, kind))
  if (common.length > 0) return common
  const message = `"${tree.operator}" does not work on ${describeKinds(left.kinds)} and ${describeKinds(right.kinds)}`
  checker.report('WRONG_KIND', message, tree.span, hintForOperator(tree, left, right))
  return kinds
}

function hintForOperator({ operator }: Binary, left: ValueType, right: ValueType): string | undefined {
  if (operator !== '+')
    return canBe(left, 'text') || canBe(right, 'text') ? 'number(…) makes a number of a text' : undefined
  if (canBe(left, 'list') || canBe(right, 'list')) return 'a list takes a list: list + [item]'
  if (canBe(left, 'map') || canBe(right, 'map')) return "a map takes a map: map + {'name': value}"
  return canBe(left, 'text') || canBe(right, 'text') ? 'string(…) makes a text of a number' : undefined
}
