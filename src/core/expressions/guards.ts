import type { Names } from './checker.ts'
import type { ExpressionTree } from './tree.ts'
import { type Field, fieldOf, type ValueType } from './value-type.ts'

/** The path a tree stands for, such as `steps.checks.outputs`, or undefined where it is no plain path. */
export function pathOf(tree: ExpressionTree): string | undefined {
  if (tree.kind === 'name') return tree.name
  if (tree.kind !== 'member' && tree.kind !== 'index') return undefined
  const holder = pathOf(tree.of)
  if (holder === undefined) return undefined
  if (tree.kind === 'member') return `${holder}.${tree.name}`
  if (tree.index.kind !== 'value') return undefined
  const { value } = tree.index
  return typeof value === 'string' && /^\w+$/.test(value)
    ? `${holder}.${value}`
    : `${holder}[${JSON.stringify(value)}]`
}

/**
 * What is known whenever a condition is true (or, asked so, false): the paths of its `has(…)` and `in`, all that lead to
 * them, and what a comparison says of a status, such as `steps.checks == succeeded`.
 */
export function guardsOf(condition: ExpressionTree, outcome = true): readonly string[] {
  switch (condition.kind) {
    case 'not':
      return guardsOf(condition.of, !outcome)
    case 'and':
    case 'or': {
      const left = guardsOf(condition.left, outcome)
      const right = guardsOf(condition.right, outcome)
      const isBoth = (condition.kind === 'and') === outcome
      return isBoth ? [...left, ...right] : left.filter((path) => right.includes(path))
    }
    case 'has':
      return outcome ? withHolders(condition.of) : absenceOf(condition.of)
    case 'binary':
      return guardsOfComparison(condition, outcome)
    default:
      return []
  }
}

function guardsOfComparison(
  { operator, left, right }: ExpressionTree & { kind: 'binary' },
  outcome: boolean,
): readonly string[] {
  if (operator === 'in' && outcome && left.kind === 'value' && typeof left.value === 'string')
    return withHolders({ kind: 'member', of: right, name: left.value, span: right.span })
  if (operator !== '==' && operator !== '!=') return []
  const compared = left.kind === 'value' ? right : left
  const value = left.kind === 'value' ? left.value : right.kind === 'value' ? right.value : undefined
  if (typeof value !== 'string' || compared.kind !== 'member' || !statusNames.includes(compared.name))
    return []
  const holder = pathOf(compared.of)
  if (holder === undefined) return []
  const isEqual = (operator === '==') === outcome
  return [...withHolders(compared), statusFact(holder, `${isEqual ? '==' : '!='} ${value}`)]
}

/** The fields that say how a step, an item or a run ended. */
const statusNames: readonly string[] = ['status', 'outcome']

/** What is known of the status of something, as one of the guards. No path looks like it. */
function statusFact(holder: string, fact: string): string {
  return `${holder} ${fact}`
}

/** Whether what is known makes sure of a field of something: by its own path, or by a status. */
export function isGuarded(names: Names, holder: string | undefined, path: string, field: Field): boolean {
  if (names.guarded.has(path)) return true
  if (holder === undefined) return false
  const isKnown = (fact: string): boolean => names.guarded.has(statusFact(holder, fact))
  const { sureWhen = [], sureWithout = [] } = field
  const isLast = sureWithout.every((others) => others.some((name) => isKnown(`without ${name}`)))
  return sureWhen.some(isKnown) || (sureWithout.length > 0 && isLast)
}

/** That a field is not there, where it says something of the fields beside it: see `sureWithout`. */
export function absenceOf(tree: ExpressionTree): readonly string[] {
  const holder = tree.kind === 'member' ? pathOf(tree.of) : undefined
  return tree.kind === 'member' && holder !== undefined ? [statusFact(holder, `without ${tree.name}`)] : []
}

function withHolders(tree: ExpressionTree): readonly string[] {
  const path = pathOf(tree)
  const own = path === undefined ? [] : [path]
  return tree.kind === 'member' || tree.kind === 'index' ? [...own, ...withHolders(tree.of)] : own
}

/** What is seen where a condition has come out so: the right side of `&&`, the branches of `?`. */
export function withGuards(names: Names, condition: ExpressionTree, outcome: boolean): Names {
  const guards = guardsOf(condition, outcome)
  return guards.length === 0 ? names : { ...names, guarded: new Set([...names.guarded, ...guards]) }
}

/** What the body of a macro sees: its variable, and no promise about another value of that name. */
export function withVariable(names: Names, variable: string, type: ValueType): Names {
  const isAbout = (path: string): boolean =>
    path.startsWith(variable) &&
    ['', '.', '[', ' '].includes(path.slice(variable.length, variable.length + 1))
  const guarded = [...names.guarded].filter((path) => !isAbout(path))
  return { types: { ...names.types, [variable]: type }, guarded: new Set(guarded) }
}

/** The type of items that have passed a condition: the fields it makes sure of are there. */
export function guardedType(type: ValueType, variable: string, condition: ExpressionTree): ValueType {
  return guardsOf(condition).reduce((known, guard) => {
    const [path = '', ...fact] = guard.split(' ')
    const [root, ...names] = path.split('.')
    if (root !== variable) return known
    return fact.length === 0 ? withField(known, names) : withStatus(known, names, fact.join(' '))
  }, type)
}

function withField(type: ValueType, [name, ...rest]: readonly string[]): ValueType {
  const field = name === undefined ? undefined : fieldOf(type, name)
  if (name === undefined || !field) return type
  const present: Field =
    rest.length === 0 ? { type: field.type } : { ...field, type: withField(field.type, rest) }
  return { ...type, fields: { ...type.fields, [name]: present } }
}

/** The type with the fields that a status makes sure of, at a path in it. */
function withStatus(type: ValueType, [name, ...rest]: readonly string[], fact: string): ValueType {
  if (name !== undefined) {
    const field = fieldOf(type, name)
    if (!field) return type
    return {
      ...type,
      fields: { ...type.fields, [name]: { ...field, type: withStatus(field.type, rest, fact) } },
    }
  }
  const fields = Object.entries(type.fields ?? {}).map(
    ([key, field]) => [key, field.sureWhen?.includes(fact) ? { type: field.type } : field] as const,
  )
  return type.fields === undefined ? type : { ...type, fields: Object.fromEntries(fields) }
}
