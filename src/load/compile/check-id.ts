import type { JsonPath } from '../json-path.ts'
import type { CompileContext } from './context.ts'

const idPattern = /^[a-z][a-z0-9_]*$/

/** Words of the expression grammar, and the names that expressions see at every place. */
const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

export function checkId({ source, ids }: CompileContext, id: string, path: JsonPath): void {
  const range = source.rangeOf(path)
  if (ids.has(id)) source.findings.add('DUPLICATE_ID', path, range, `another step is called "${id}" already`)
  ids.add(id)
  if (isUsable(id)) return
  const usable = id.toLowerCase().replaceAll(/[^a-z0-9_]+/g, '_')
  const hint = isUsable(usable) ? `such as ${usable}` : undefined
  const message = reserved.has(id)
    ? `"${id}" is a word of the expression language and cannot be an id`
    : `"${id}" cannot be an id: lower-case letters, digits and "_" only, a letter first`
  source.findings.add('INVALID_ID', path, range, message, hint)
}

function isUsable(id: string): boolean {
  return idPattern.test(id) && !reserved.has(id)
}
