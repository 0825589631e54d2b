import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { createMask } from '../../core/mask/index.ts'
import type { Recording } from './recording.ts'

/** A shorter value is in the names of keys and steps by chance. */
const shortestAnywhere = 8

/**
 * Where a recording still holds one of the values, plain or encoded. It is searched twice, in two ways: value by value
 * as the masks of Opsbook search, and as one text for the usual encodings.
 */
export function findLeaks(recording: Recording, text: string, values: readonly string[]): readonly string[] {
  const long = values.filter(({ length }) => length >= shortestAnywhere)
  const data = { inputs: recording.inputs, calls: recording.calls.map(dataOf) } as unknown as JsonValue
  const found = new Set([
    ...placesIn(data, values),
    ...placesIn(recording as unknown as JsonValue, long),
    ...(long.some((value) => formsOf(value).some((form) => text.includes(form)))
      ? ['the text of the file']
      : []),
  ])
  return [...found]
}

function dataOf({ input, output, error }: Recording['calls'][number]): unknown {
  return { input: input ?? null, output: output ?? null, error: error ?? null }
}

function placesIn(value: JsonValue, hidden: readonly string[]): readonly string[] {
  const mask = createMask(hidden)
  const places: string[] = []
  const visit = (one: JsonValue, place: string): void => {
    if (typeof one === 'string' || typeof one === 'number') {
      if (mask.secretsIn(String(one)).length > 0) places.push(place)
    } else if (Array.isArray(one)) for (const [at, item] of one.entries()) visit(item, `${place}[${at}]`)
    else if (isJsonObject(one)) {
      for (const [key, member] of Object.entries(one)) {
        // The key itself may be what must not be named.
        const isShown = mask.secretsIn(key).length === 0
        if (!isShown) places.push(`a key in ${place || 'the file'}`)
        visit(member, `${place}${place === '' ? '' : '.'}${isShown ? key : '…'}`)
      }
    }
  }
  visit(value, '')
  return places
}

/** A value as others may write it. Of Base64 the part that the value alone decides, at each of its alignments. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  )
  const json = JSON.stringify(value).slice(1, -1)
  return [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(bytes.toString('utf8')),
    bytes.toString('hex'),
    ...base64.filter(({ length }) => length >= shortestAnywhere),
  ]
}
