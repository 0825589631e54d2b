import type { JsonPath } from '../../core/json.ts'
import type { DiagnosticCode } from '../diagnostic.ts'
import { grammarWords } from '../expressions/other-words.ts'
import { isUnknownYet } from '../yaml/findings.ts'
import type { CompileContext } from './context.ts'

const idPattern = /^[a-z][a-z0-9_]*$/
const longest = 64

/**
 * Checks the id of a step. Returns the ids by which other steps may name it: a wrong id is reported once, and not again
 * where it is used, as it is written or as it should be.
 */
export function checkId({ source, ids }: CompileContext, id: unknown, path: JsonPath): readonly string[] {
  if (id === undefined || (typeof id === 'string' && isUnknownYet(id))) return []
  const add = (code: DiagnosticCode, message: string, hint?: string): void =>
    source.add(code, path, message, hint)
  if (typeof id !== 'string') {
    const { message, hint } = explainOtherKind(id, source.scalarAt(path)?.written ?? '')
    add('INVALID_ID', message, hint)
    return []
  }
  if (ids.has(id)) add('DUPLICATE_ID', `another step is called "${id}" already`)
  ids.add(id)
  const problem = nameProblem(id)
  if (problem === undefined) return [id]
  const usable = usableName(id)
  const hint = usable === undefined ? undefined : `such as ${usable}`
  add('INVALID_ID', problem, hint)
  return usable === undefined ? [id] : [id, usable]
}

function explainOtherKind(id: unknown, written: string): { message: string; hint: string } {
  const hint = 'an id begins with a letter, such as check_1'
  if (typeof id === 'number')
    return { message: `YAML reads ${written} as a number, and an id is a text`, hint }
  if (typeof id === 'boolean')
    return { message: `YAML reads ${written} as true or false, and an id is a text`, hint }
  return { message: id === null ? 'an id is a text, and this is empty' : 'an id is a text', hint }
}

/** Names that mean something else inside a step. */
const taken = [
  'inputs',
  'steps',
  'run',
  'error',
  'outputs',
  'event',
  'secrets',
  'index',
  'turn',
  'next',
  'has',
  'default',
]

/** Checks the name that a loop gives its items. */
export function checkItemName({ source }: CompileContext, as: string, path: JsonPath): void {
  const problem = taken.includes(as)
    ? `"${as}" means something else in expressions already`
    : nameProblem(as, 'the name of an item')
  if (problem === undefined) return
  source.add('INVALID_ID', path, problem, 'such as host')
}

/** Whether expressions can read a callback under this name. */
export function isCallbackName(name: unknown): name is string {
  return typeof name === 'string' && nameProblem(name) === undefined
}

/** Checks the name of a callback, which expressions read. */
export function checkCallbackName({ source }: CompileContext, name: string, path: JsonPath): void {
  const problem = nameProblem(name, 'the name of a callback')
  if (problem === undefined) return
  const usable = usableName(name)
  const hint = usable === undefined ? 'such as finished' : `such as ${usable}`
  source.add('INVALID_ID', path, problem, hint)
}

/** Why a name cannot be used in expressions. */
function nameProblem(name: string, what = 'an id'): string | undefined {
  if (grammarWords.has(name)) return `"${name}" is a word of the expression language`
  if (name.length > longest) return `a name has at most ${longest} characters`
  if (idPattern.test(name)) return undefined
  if (name.includes('-'))
    return `"${name}" cannot be ${what}: in an expression "-" takes one thing from another`
  return `"${name.slice(0, longest)}" cannot be ${what}: lower-case letters, digits and "_" only, a letter first`
}

function usableName(id: string): string | undefined {
  const usable = id
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
  return nameProblem(usable) === undefined ? usable : undefined
}
