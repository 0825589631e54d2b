import { grammarWords } from '../expression/words.ts'
import type { JsonPath } from '../json-path.ts'
import { isUndecided } from '../yaml/unreadable.ts'
import type { CompileContext } from './context.ts'

const idPattern = /^[a-z][a-z0-9_]*$/
const longest = 64

/**
 * Judges the id of a step. Answers the names under which other steps are allowed to mean it: a wrong id is told once,
 * and not again wherever it is used, as it stands or as it should be.
 */
export function checkId({ source, ids }: CompileContext, id: unknown, path: JsonPath): readonly string[] {
  if (id === undefined || (typeof id === 'string' && isUndecided(id))) return []
  const range = source.rangeOf(path)
  if (typeof id !== 'string') {
    const { message, hint } = explainOtherKind(id, source.scalarAt(path)?.written ?? '')
    source.findings.add('INVALID_ID', path, range, message, hint)
    return []
  }
  if (ids.has(id)) source.findings.add('DUPLICATE_ID', path, range, `another step is called "${id}" already`)
  ids.add(id)
  const problem = nameProblem(id)
  if (problem === undefined) return [id]
  const usable = usableName(id)
  const hint = usable === undefined ? undefined : `such as ${usable}`
  source.findings.add('INVALID_ID', path, range, problem, hint)
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

/** Why a name cannot stand in expressions. */
export function nameProblem(name: string, what = 'an id'): string | undefined {
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
