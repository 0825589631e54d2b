import { nearest } from '../nearest.ts'
import { type ExpressionFunction, expressionFunctions } from './functions.ts'
import { guardsOf, pathOf } from './guards.ts'
import type { ExpressionTree, Span } from './tree.ts'
import {
  anything,
  canBe,
  canBeEqual,
  describeKinds,
  either,
  type Field,
  type Kind,
  kindOf,
  listOf,
  mapOf,
  numberType,
  textType,
  truth,
  type ValueType,
} from './value-type.ts'

/** Something that cannot work, or can never be what the author means. */
export interface CheckProblem {
  readonly code:
    | 'UNKNOWN_NAME'
    | 'UNKNOWN_STEP'
    | 'UNKNOWN_INPUT'
    | 'UNKNOWN_FIELD'
    | 'MISSING_GUARD'
    | 'WRONG_KIND'
    | 'NEVER_EQUAL'
  readonly message: string
  readonly span: Span
  readonly hint?: string
}

/** What an expression can see: the type of each name. `guarded`: paths that are known to be there. */
export interface Names {
  readonly types: Readonly<Record<string, ValueType>>
  readonly guarded: ReadonlySet<string>
}

const functions = new Map<string, ExpressionFunction>(expressionFunctions.map((entry) => [entry.name, entry]))

/** The type of an expression's value, and everything that is wrong with it. */
export function checkExpression(
  tree: ExpressionTree,
  names: Names,
): { readonly type: ValueType; readonly problems: readonly CheckProblem[] } {
  const problems: CheckProblem[] = []
  const type = createChecker(problems)(tree, names)
  return { type, problems }
}

type Visit = (tree: ExpressionTree, names: Names) => ValueType

function createChecker(problems: CheckProblem[]): Visit {
  const report = (code: CheckProblem['code'], message: string, span: Span, hint?: string): ValueType => {
    problems.push({ code, message, span, ...(hint === undefined ? {} : { hint }) })
    return anything
  }

  const expect = (tree: ExpressionTree, names: Names, kinds: readonly Kind[], why: string): ValueType => {
    const type = visit(tree, names)
    if (!canBe(type, ...kinds)) {
      report(
        'WRONG_KIND',
        `${why} needs ${describeKinds(kinds)}, and this is ${describeKinds(type.kinds)}`,
        tree.span,
      )
    }
    return type
  }

  /** `isGuarded`: inside `has` or `default`, where a missing field is expected. */
  const member = (
    holder: ValueType,
    name: string,
    tree: ExpressionTree & { readonly of: ExpressionTree },
    names: Names,
    isGuarded: boolean,
  ): ValueType => {
    if (!canBe(holder, 'map')) {
      return report(
        'WRONG_KIND',
        `${describeKinds(holder.kinds)} has no fields, such as "${name}"`,
        tree.span,
      )
    }
    const field = holder.fields && Object.hasOwn(holder.fields, name) ? holder.fields[name] : undefined
    if (field === undefined) return unknownField(holder, name, tree)
    if (field.isOptional && !isGuarded && !isKnownToBeThere(tree, names)) reportMissingGuard(field, tree)
    return field.type
  }

  const unknownField = (
    holder: ValueType,
    name: string,
    tree: ExpressionTree & { readonly of: ExpressionTree },
  ): ValueType => {
    if (holder.fields === undefined || holder.isOpen) return holder.items ?? anything
    const known = Object.keys(holder.fields)
    const root = tree.of.kind === 'name' ? tree.of.name : undefined
    const near = nearest(name, known)
    const hint = near
      ? `did you mean "${near}"?`
      : known.length === 0
        ? undefined
        : `known: ${known.join(', ')}`
    if (root === 'steps') {
      return report(
        'UNKNOWN_STEP',
        `no step "${name}" can be seen from here`,
        tree.span,
        hint ?? 'no step comes before this one',
      )
    }
    if (root === 'inputs') {
      return report(
        'UNKNOWN_INPUT',
        `there is no input "${name}"`,
        tree.span,
        hint ?? 'the runbook declares no inputs',
      )
    }
    return report('UNKNOWN_FIELD', `there is no field "${name}"`, tree.span, hint)
  }

  const reportMissingGuard = (field: Field, tree: ExpressionTree): void => {
    const path = pathOf(tree)
    const because = field.because ?? 'it can be missing'
    report(
      'MISSING_GUARD',
      `${path ?? 'this'} may not be there: ${because}`,
      tree.span,
      `use default(${path}, …) or has(${path})`,
    )
  }

  const isKnownToBeThere = (tree: ExpressionTree, names: Names): boolean => {
    const path = pathOf(tree)
    return path !== undefined && names.guarded.has(path)
  }

  /** A path under `has` or `default`: every part of it may be missing. */
  const visitGuarded = (tree: ExpressionTree, names: Names): ValueType => {
    if (tree.kind === 'member') return member(visitGuarded(tree.of, names), tree.name, tree, names, true)
    if (tree.kind === 'index') return index(visitGuarded(tree.of, names), tree, names, true)
    return visit(tree, names)
  }

  const index = (
    holder: ValueType,
    tree: ExpressionTree & { kind: 'index' },
    names: Names,
    isGuarded: boolean,
  ): ValueType => {
    const key = visit(tree.index, names)
    const literal = tree.index.kind === 'value' ? tree.index.value : undefined
    if (typeof literal === 'string' && canBe(holder, 'map'))
      return member(holder, literal, tree, names, isGuarded)
    if (!canBe(holder, 'list', 'map')) {
      return report('WRONG_KIND', `${describeKinds(holder.kinds)} has no positions`, tree.span)
    }
    if (!canBe(key, ...(canBe(holder, 'map') ? (['text', 'number'] as const) : (['number'] as const)))) {
      report('WRONG_KIND', `a list position is a number, not ${describeKinds(key.kinds)}`, tree.index.span)
    }
    return holder.items ?? anything
  }

  const binary = (tree: ExpressionTree & { kind: 'binary' }, names: Names): ValueType => {
    const { operator } = tree
    const left = visit(tree.left, names)
    const right = visit(tree.right, names)
    if (operator === '==' || operator === '!=') return equality(tree, left, right)
    if (operator === 'in') {
      if (!canBe(right, 'list', 'map'))
        report('WRONG_KIND', `"in" needs a list or a map, not ${describeKinds(right.kinds)}`, tree.right.span)
      return truth
    }
    const kinds: readonly Kind[] =
      operator === '+'
        ? ['number', 'text', 'list']
        : ['<', '<=', '>', '>='].includes(operator)
          ? ['number', 'text']
          : ['number']
    const common = kinds.filter((kind) => canBe(left, kind) && canBe(right, kind))
    if (common.length === 0) {
      report(
        'WRONG_KIND',
        `"${operator}" does not work on ${describeKinds(left.kinds)} and ${describeKinds(right.kinds)}`,
        tree.span,
        operator === '+' ? 'string(…) makes a text of a number' : undefined,
      )
    }
    if (!['+', '-', '*', '/', '%'].includes(operator)) return truth
    return common.length === 1
      ? { kinds: common }
      : { kinds: operator === '+' ? ['number', 'text', 'list'] : ['number'] }
  }

  const equality = (
    tree: ExpressionTree & { kind: 'binary' },
    left: ValueType,
    right: ValueType,
  ): ValueType => {
    const never = (message: string, hint?: string): ValueType =>
      report('NEVER_EQUAL', message, tree.span, hint)
    if (!canBeEqual(left, right)) {
      never(`${describeKinds(left.kinds)} is never equal to ${describeKinds(right.kinds)}`)
      return truth
    }
    for (const [type, other] of [
      [left, tree.right],
      [right, tree.left],
    ] as const) {
      const { values } = type
      if (values === undefined || other.kind !== 'value' || values.includes(other.value)) continue
      never(
        `this is never ${JSON.stringify(other.value)}`,
        `one of: ${values.map((value) => JSON.stringify(value)).join(', ')}`,
      )
    }
    return truth
  }

  const call = (tree: ExpressionTree & { kind: 'call' }, names: Names): ValueType => {
    const called = functions.get(tree.function)
    for (const [position, argument] of tree.arguments.entries()) {
      const parameter = called?.parameters[Math.min(position, called.parameters.length - 1)]
      if (parameter) expect(argument, names, parameter.kinds, `${tree.function}(${parameter.name})`)
      else visit(argument, names)
    }
    return called?.result ?? anything
  }

  const macro = (tree: ExpressionTree & { kind: 'macro' }, names: Names): ValueType => {
    const holder = expect(tree.of, names, ['list', 'map'], tree.macro)
    const item = canBe(holder, 'list') ? (holder.items ?? anything) : textType
    const inner = { ...names, types: { ...names.types, [tree.variable]: item } }
    if (tree.macro === 'map') return listOf(visit(tree.body, inner))
    expect(tree.body, inner, ['boolean'], tree.macro)
    return tree.macro === 'filter' ? listOf(item) : truth
  }

  /** The right side of `&&`, and the branch of a condition, see what the left side makes sure of. */
  const guardedBy = (condition: ExpressionTree, names: Names): Names => ({
    ...names,
    guarded: new Set([...names.guarded, ...guardsOf(condition)]),
  })

  const visit: Visit = (tree, names) => {
    switch (tree.kind) {
      case 'value':
        return { kinds: [kindOf(tree.value)], isOpen: true }
      case 'name': {
        const type = Object.hasOwn(names.types, tree.name) ? names.types[tree.name] : undefined
        if (type) return type
        const known = Object.keys(names.types)
        const near = nearest(tree.name, known)
        return report(
          'UNKNOWN_NAME',
          `there is no "${tree.name}" here`,
          tree.span,
          near ? `did you mean "${near}"?` : `known: ${known.join(', ')}`,
        )
      }
      case 'member':
        return member(visit(tree.of, names), tree.name, tree, names, false)
      case 'index':
        return index(visit(tree.of, names), tree, names, false)
      case 'list':
        return listOf(
          tree.items
            .map((item) => visit(item, names))
            .reduce(either, tree.items[0] ? visit(tree.items[0], names) : anything),
        )
      case 'map':
        return mapLiteral(tree, names)
      case 'not':
        expect(tree.of, names, ['boolean'], '"!"')
        return truth
      case 'negate':
        expect(tree.of, names, ['number'], '"-"')
        return numberType
      case 'and':
      case 'or':
        expect(tree.left, names, ['boolean'], tree.kind === 'and' ? '"&&"' : '"||"')
        expect(
          tree.right,
          tree.kind === 'and' ? guardedBy(tree.left, names) : names,
          ['boolean'],
          tree.kind === 'and' ? '"&&"' : '"||"',
        )
        return truth
      case 'binary':
        return binary(tree, names)
      case 'conditional': {
        expect(tree.condition, names, ['boolean'], 'the condition of "?"')
        return either(visit(tree.whenTrue, guardedBy(tree.condition, names)), visit(tree.whenFalse, names))
      }
      case 'call':
        return call(tree, names)
      case 'macro':
        return macro(tree, names)
      case 'has':
        visitGuarded(tree.of, names)
        return truth
      case 'default':
        return either(visitGuarded(tree.of, names), visit(tree.otherwise, names))
    }
  }

  const mapLiteral = (tree: ExpressionTree & { kind: 'map' }, names: Names): ValueType => {
    const fields: Record<string, Field> = {}
    let isOpen = false
    for (const [key, value] of tree.entries) {
      expect(key, names, ['text'], 'a key')
      const type = visit(value, names)
      if (key.kind === 'value' && typeof key.value === 'string') fields[key.value] = { type }
      else isOpen = true
    }
    return mapOf(fields, isOpen)
  }

  return visit
}
