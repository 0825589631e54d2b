import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../json.ts'
import { errorData } from '../run-error.ts'
import { evaluate } from './evaluate.ts'
import { formatReference, type Reference, referencesIn, referencesOf } from './references.ts'
import { render } from './render.ts'
import { templateSource } from './template-source.ts'
import type { Expression, ExpressionTree, Template } from './tree.ts'

/** What is known about a value before a run. A map can be known in part; what it does not name is not there. */
export type Known =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'map'; readonly fields: KnownScope }
  | { readonly kind: 'unknown' }
  /** What the answer to the question that is about to be asked will bring. */
  | { readonly kind: 'answer' }

/** The names that expressions see, and what is known about each. */
export type KnownScope = Readonly<Record<string, Known>>

export const unknown: Known = { kind: 'unknown' }

/** What the answer to the question that is about to be asked will bring: each call may read it. */
export const ofAnswer: Known = { kind: 'answer' }

export function known(value: JsonValue): Known {
  return { kind: 'value', value }
}

export function knownMap(fields: KnownScope): Known {
  return { kind: 'map', fields }
}

/** The result of evaluating before a run: a value, an error that the run would have too, or the missing paths. */
export type Evaluated<T = JsonValue> =
  | { readonly state: 'known'; readonly value: T }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'unknown'; readonly needs: readonly string[] }

/** Evaluates what depends on known values only. */
export function evaluateTemplate(template: Template, scope: KnownScope): Evaluated {
  if (template.kind === 'literal') return { state: 'known', value: template.value }
  const references = referencesOf(template)
  const needs = missing(references, scope)
  if (needs.length > 0) return { state: 'unknown', needs }
  return attempt(() => render(template, plain(only(references, scope))))
}

/**
 * A template before the answer to a question, or the paths that it misses. `value` is what is approved and compared: a
 * part that reads the answer is in it as its source, with the values of all else that it reads. `shown` is the same
 * for people.
 */
export type Foreseen =
  | { readonly value: JsonValue; readonly shown: JsonValue }
  | { readonly needs: readonly string[] }

/** Evaluates a template that may miss nothing but the answer to a question. */
export function foresee(template: Template, scope: KnownScope): Foreseen {
  const whole = evaluateTemplate(template, scope)
  if (whole.state === 'known') return { value: whole.value, shown: whole.value }
  if (whole.state === 'failed')
    return { needs: [`${templateSource(template, ({ source }) => source)}, which fails`] }
  if (template.kind === 'list') {
    const items = template.items.map((item) => foresee(item, scope))
    return allOf(items, (part) => items.map((item) => partOf(item, part)))
  }
  if (template.kind === 'object') {
    const fields = template.entries.map(([key, value]) => [key, foresee(value, scope)] as const)
    return allOf(
      fields.map(([, field]) => field),
      (part) => Object.fromEntries(fields.map(([key, field]) => [key, partOf(field, part)])),
    )
  }
  const references = referencesOf(template)
  const open = references.filter((reference) => !isKnown(lookUp(reference, scope)))
  if (!open.every((reference) => lookUp(reference, scope)?.kind === 'answer')) return { needs: whole.needs }
  const read = readIn(references, scope).map(([name, value]) => `${name} is ${value}`)
  return {
    value: [templateSource(template), ...read].join(', '),
    shown: templateSource(template, (expression) => shownText(template, expression, scope)),
  }
}

/** A template as its author would write it, with the values of the parts of a text that are known. */
export function filledSource(template: Template, scope: KnownScope): string {
  return templateSource(template, (expression) => knownText(template, expression, scope))
}

function knownText(template: Template, expression: Expression, scope: KnownScope): string | undefined {
  if (template.kind !== 'text') return undefined
  const found = evaluateTemplate({ ...template, parts: [expression] }, scope)
  return found.state === 'known' ? String(found.value) : undefined
}

/** A part of a text for people: its value, or what is not known of it yet. */
function shownText(template: Template, expression: Expression, scope: KnownScope): string {
  const found = knownText(template, expression, scope)
  if (found !== undefined) return found
  const references = referencesIn(expression.tree)
  const { source } = expression
  if (references.some((reference) => formatReference(reference) === source)) return '‹not known yet›'
  const read = readIn(references, scope).map(([name, value]) => `, ${name} is ${value}`)
  return `‹not known yet: ${source}${read.join('')}›`
}

/** The names that are known, each once, with their values as JSON. */
function readIn(references: readonly Reference[], scope: KnownScope): readonly (readonly [string, string])[] {
  const read = references
    .filter((reference) => isKnown(lookUp(reference, scope)))
    .map((reference) => [formatReference(reference), JSON.stringify(knownValue(reference, scope))] as const)
  return [...new Map(read)]
}

/** The known value that a reference names; null where nothing is there. */
function knownValue(reference: Reference, scope: KnownScope): JsonValue {
  return (valueAt(plain(only([reference], scope)), reference) as JsonValue | undefined) ?? null
}

type Part = 'value' | 'shown'

function allOf(parts: readonly Foreseen[], make: (part: Part) => JsonValue): Foreseen {
  const needs = parts.flatMap((one) => ('needs' in one ? one.needs : []))
  return needs.length > 0 ? { needs: [...new Set(needs)] } : { value: make('value'), shown: make('shown') }
}

function partOf(one: Foreseen, part: Part): JsonValue {
  return 'needs' in one ? null : one[part]
}

/** A condition can be decided by one of its sides: `false && …` is false, whatever the rest will be. */
export function evaluateCondition(expression: Expression, scope: KnownScope): Evaluated<boolean> {
  const decided = decide(expression, expression.tree, scope)
  if (decided !== undefined) return { state: 'known', value: decided }
  const references = referencesIn(expression.tree)
  const needs = missing(references, scope)
  if (needs.length > 0) return { state: 'unknown', needs }
  const whole = attempt(() => evaluate(expression, plain(only(references, scope))))
  if (whole.state !== 'known') return whole
  if (typeof whole.value === 'boolean') return { state: 'known', value: whole.value }
  return { state: 'failed', message: `"${expression.source}" is not true or false` }
}

function decide(expression: Expression, tree: ExpressionTree, scope: KnownScope): boolean | undefined {
  if (tree.kind === 'not') {
    const inner = decide(expression, tree.of, scope)
    return inner === undefined ? undefined : !inner
  }
  if (tree.kind === 'and' || tree.kind === 'or') {
    const sides = [decide(expression, tree.left, scope), decide(expression, tree.right, scope)]
    const settles = tree.kind === 'or'
    if (sides.includes(settles)) return settles
    return sides.includes(undefined) ? undefined : !settles
  }
  const references = referencesIn(tree)
  if (missing(references, scope).length > 0) return undefined
  const part = attempt(() => evaluate({ source: expression.source, tree }, plain(only(references, scope))))
  return part.state === 'known' && typeof part.value === 'boolean' ? part.value : undefined
}

function attempt(make: () => JsonValue): Evaluated {
  try {
    return { state: 'known', value: make() }
  } catch (thrown) {
    return { state: 'failed', message: errorData(thrown).message }
  }
}

/** The paths whose values only the run will bring, each once. */
function missing(references: readonly Reference[], scope: KnownScope): readonly string[] {
  const open = references.filter((reference) => !isKnown(lookUp(reference, scope)))
  return [...new Set(open.map(withoutField).map(formatReference))]
}

/** Undefined where it is known that nothing is there. */
function lookUp([root, ...path]: Reference, scope: KnownScope): Known | undefined {
  let at = own(scope, root)
  for (const part of path) {
    if (at === undefined || at.kind === 'unknown' || at.kind === 'answer') return at
    // A known value is known as a whole, and so is what it does not have.
    if (at.kind === 'value') return at
    at = own(at.fields, String(part))
  }
  return at
}

function isKnown(value: Known | undefined): boolean {
  if (value === undefined || value.kind === 'value') return true
  return value.kind === 'map' && Object.values(value.fields).every(isKnown)
}

/** The names that are referred to: the others, which can hold a thousand items, need not be made plain. */
function only(references: readonly Reference[], scope: KnownScope): KnownScope {
  const roots = new Set(references.map(([root]) => root))
  return Object.fromEntries(
    [...roots].flatMap((name) => (Object.hasOwn(scope, name) ? [[name, scope[name] as Known]] : [])),
  )
}

/** The known part of a scope as plain JSON. */
function plain(scope: KnownScope): JsonObject {
  return Object.fromEntries(
    Object.entries(scope).flatMap(([name, value]) => {
      if (value.kind === 'value') return [[name, value.value] as const]
      return value.kind === 'map' ? [[name, plain(value.fields)] as const] : []
    }),
  )
}

function own(fields: KnownScope, name: string): Known | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** The inputs of a run: those given, and those that are still to be given. */
export function knownInputs(inputs: JsonObject, missingNames: readonly string[]): Known {
  const given = Object.entries(inputs).map(([name, value]) => [name, known(value)] as const)
  return knownMap(Object.fromEntries([...given, ...missingNames.map((name) => [name, unknown] as const)]))
}

/** A step by its outputs, whatever is read of them. */
function withoutField(reference: Reference): Reference {
  const [root, ...path] = reference
  return root === 'steps' ? [root, ...path.slice(0, 2)] : reference
}

/** The parts of a template at a path, `*` standing for any key; a part that holds the place is one of them. */
export function partsAt(template: Template, [first, ...rest]: readonly string[]): readonly Template[] {
  if (first === undefined || template.kind === 'expression' || template.kind === 'text') return [template]
  return templateEntriesOf(template)
    .filter(([key]) => first === '*' || first === key)
    .flatMap(([, value]) => partsAt(value, rest))
}

/** The keys of a map with their templates; of a literal map, literals. Nothing for anything else. */
export function templateEntriesOf(template: Template): readonly (readonly [string, Template])[] {
  if (template.kind === 'object') return template.entries
  if (template.kind !== 'literal' || !isJsonObject(template.value)) return []
  return Object.entries(template.value).map(([key, value]) => [key, { kind: 'literal', value }] as const)
}
