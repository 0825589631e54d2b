export { valueAt } from '../core/json.ts'

/** Keys and list positions from the root of a document to one of its values. */
export type JsonPath = readonly (string | number)[]

/** Such as `steps[2].with.tools`. */
export function formatPath(path: JsonPath): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  )
}

/** The parts of a JSON Pointer. List positions become numbers, as far as the value has lists there. */
export function parsePointer(pointer: string, value: unknown): JsonPath {
  if (pointer === '') return []
  let holder = value
  return pointer
    .slice(1)
    .split('/')
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const step = Array.isArray(holder) ? Number(key) : key
      holder = (holder as Readonly<Record<string | number, unknown>> | undefined)?.[step]
      return step
    })
}
