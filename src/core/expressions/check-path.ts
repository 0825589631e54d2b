import { nearest } from '../text/nearest.ts'
import type { Checker, Names } from './checker.ts'
import { absenceOf, isGuarded as isKnownToBeThere, pathOf } from './guards.ts'
import type { ExpressionTree } from './tree.ts'
import {
  anyType,
  canBe,
  describeKinds,
  either,
  type Field,
  fieldOf,
  itemsOf,
  type ValueType,
} from './value-type.ts'

type Member = ExpressionTree & { readonly kind: 'member' | 'index' }
type Index = ExpressionTree & { readonly kind: 'index' }

const ofLoop =
  'for-each gives it to its own step; a catch beside for-each is for the whole loop, one inside of its steps for an item'

/** Names that are seen at some places only. */
const elsewhere: Readonly<Record<string, string>> = {
  item: ofLoop,
  index: ofLoop,
  error: 'it is seen inside catch',
  outputs: 'it is seen in expect, in the repeat of a call and in the outputs of a step',
  turn: 'it is seen inside a block with repeat',
  next: 'it is seen in the until of a block with repeat',
  event: 'it is seen inside triggers',
  lists: 'lists.range(…) of CEL is range(…) here',
}

export function checkName(
  checker: Checker,
  { name, span }: ExpressionTree & { kind: 'name' },
  { types }: Names,
): ValueType {
  const type = Object.hasOwn(types, name) ? types[name] : undefined
  if (type) return type
  if (name === 'secrets') {
    const message =
      'a secret stands alone, as the whole value of an argument that the action marks as sensitive'
    return checker.report('MISPLACED_SECRET', message, span)
  }
  return checker.report('UNKNOWN_NAME', `there is no "${name}" here`, span, hintForName(name, types))
}

function hintForName(name: string, types: Names['types']): string {
  for (const holder of ['steps', 'inputs'])
    if (types[holder] && fieldOf(types[holder], name)) return `did you mean "${holder}.${name}"?`
  if (Object.hasOwn(elsewhere, name)) return elsewhere[name] as string
  const known = Object.keys(types)
  const near = nearest(name, known)
  return near ? `did you mean "${near}"?` : `known: ${known.join(', ')}`
}

/** `isGuarded`: inside `has` or `default`, where a missing field is expected. */
export function checkMember(
  checker: Checker,
  holder: ValueType,
  tree: ExpressionTree & { kind: 'member' },
  names: Names,
  isGuarded = false,
): ValueType {
  return checkField(checker, holder, tree.name, tree, names, isGuarded)
}

export function checkIndex(
  checker: Checker,
  holder: ValueType,
  tree: Index,
  names: Names,
  isGuarded = false,
): ValueType {
  const { index } = tree
  const key = checker.visit(index, names)
  if (index.kind === 'value' && typeof index.value === 'string' && canBe(holder, 'map'))
    return checkField(checker, holder, index.value, tree, names, isGuarded)
  if (!canBe(holder, 'list', 'map'))
    return checker.report('WRONG_KIND', `${describeKinds(holder.kinds)} has no positions`, tree.span)
  const takesText = canBe(holder, 'map') && canBe(key, 'text')
  const takesNumber = canBe(holder, 'list') && canBe(key, 'number')
  if (!takesText && !takesNumber) {
    const wanted = canBe(holder, 'list') ? 'a list position is a number' : 'the name of a field is a text'
    checker.report('WRONG_KIND', `${wanted}, not ${describeKinds(key.kinds)}`, index.span)
  } else if (!takesText) checkPosition(checker, index)
  return partOf(holder)
}

/** What is found at a position or under an unknown name: nothing is known where it could be either. */
function partOf(holder: ValueType): ValueType {
  return canBe(holder, 'list') && canBe(holder, 'map') ? anyType : itemsOf(holder)
}

function checkPosition(checker: Checker, index: ExpressionTree): void {
  const isNegative = index.kind === 'negate' && index.of.kind === 'value'
  const isBroken = index.kind === 'value' && !Number.isInteger(index.value)
  if (!isNegative && !isBroken) return
  const hint = isNegative ? 'the last item is list.last()' : undefined
  checker.report('WRONG_VALUE', 'a list position is a whole number from 0', index.span, hint)
}

/** What the parts of a path see: the whole of it. */
export function reading(tree: Member, names: Names): Names {
  const read = names.read ?? pathOf(tree)
  return read === undefined ? names : { ...names, read }
}

/** A path under `has` or `default`: every part of it may be missing. */
export function visitGuarded(checker: Checker, tree: ExpressionTree, names: Names): ValueType {
  if (tree.kind === 'member')
    return checkMember(checker, visitGuarded(checker, tree.of, names), tree, names, true)
  if (tree.kind === 'index')
    return checkIndex(checker, visitGuarded(checker, tree.of, names), tree, names, true)
  return checker.visit(tree, names)
}

export function checkDefault(
  checker: Checker,
  tree: ExpressionTree & { kind: 'default' },
  names: Names,
): ValueType {
  const type = visitGuarded(checker, tree.of, names)
  const { kinds } = type
  const there =
    tree.of.kind === 'call' && kinds ? { ...type, kinds: kinds.filter((kind) => kind !== 'null') } : type
  const guarded = new Set([...names.guarded, ...onlyAbsence(tree.of, names)])
  return either(there, checker.visit(tree.otherwise, { ...names, guarded }))
}

/** What is known where a path ends early: if one part of it can be missing and no other, that this one is. */
function onlyAbsence(tree: ExpressionTree, names: Names): readonly string[] {
  const parts: ExpressionTree[] = []
  const typeOf = (part: ExpressionTree): ValueType | undefined => {
    if (part.kind === 'name') return names.types[part.name]
    const holder = part.kind === 'member' ? typeOf(part.of) : undefined
    const field = part.kind === 'member' && holder ? fieldOf(holder, part.name) : undefined
    if (!holder || !field || canBe(holder, 'null')) return undefined
    if (field.isOptional) parts.push(part)
    return field.type
  }
  const [part, ...others] = typeOf(tree) ? parts : []
  return part && others.length === 0 ? absenceOf(part) : []
}

function checkField(
  checker: Checker,
  holder: ValueType,
  name: string,
  tree: Member,
  names: Names,
  isGuarded: boolean,
): ValueType {
  if (!canBe(holder, 'map')) {
    const message = `${describeKinds(holder.kinds)} has no fields, such as "${name}"`
    return checker.report('WRONG_KIND', message, tree.span, hintForNoFields(holder, name))
  }
  const field = fieldOf(holder, name)
  if (field === undefined) return checkUnknownField(checker, holder, name, tree)
  const path = pathOf(tree)
  const isSure = isGuarded || (path !== undefined && isKnownToBeThere(names, pathOf(tree.of), path, field))
  if (!field.isOptional || isSure) return field.type
  reportMissingGuard(checker, field, tree, names)
  return field.type
}

function hintForNoFields(holder: ValueType, name: string): string | undefined {
  if (name === 'length' || name === 'size' || name === 'count') return 'size(…) counts'
  return canBe(holder, 'list') ? `one item: list[0].${name}; all of them: list.map(x, x.${name})` : undefined
}

function reportMissingGuard(checker: Checker, field: Field, tree: Member, { read }: Names): void {
  const path = pathOf(tree) ?? '…'
  const message = `${path} may not be there: ${field.because ?? 'it can be missing'}`
  checker.report('MISSING_GUARD', message, tree.span, `use default(${read ?? path}, …) or has(${path})`)
}

/** A field that the type does not know: an error where it knows all of them. */
export function checkUnknownField(
  checker: Checker,
  holder: ValueType,
  name: string,
  tree: Member,
): ValueType {
  if (holder.fields === undefined || holder.isOpen) return partOf(holder)
  const known = Object.keys(holder.fields)
  const near = nearest(name, known)
  const listed = known.length === 0 ? undefined : `known: ${known.join(', ')}`
  const hint = near ? `did you mean "${near}"?` : listed
  const root = tree.of.kind === 'name' ? tree.of.name : undefined
  if (root === 'steps') {
    const message = `no step "${name}" can be seen from here`
    return checker.report('UNKNOWN_STEP', message, tree.span, hint ?? 'no step comes before this one')
  }
  if (root === 'inputs') {
    const message = `there is no input "${name}"`
    return checker.report('UNKNOWN_INPUT', message, tree.span, hint ?? 'the runbook declares no inputs')
  }
  if (pathOf(tree.of) === 'run.callbacks') {
    const message = `no step waits for a callback "${name}"`
    const howTo = `a step core/listen does, with callback: ${name}`
    return checker.report('UNKNOWN_FIELD', message, tree.span, hint ?? howTo)
  }
  const isOfStep = name === 'outputs' && /^steps\.\w+$/.test(pathOf(tree.of) ?? '')
  const ownHint = isOfStep ? 'give the step "outputs": it has only those that it names' : hint
  return checker.report('UNKNOWN_FIELD', `there is no field "${name}"`, tree.span, ownHint)
}
