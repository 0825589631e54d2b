/** What a JSON Schema asks of a value beyond its kind, for the person who fills it in. No Node. */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'

/** The limits of a value, such as `1 to 5`. Empty: there are none. */
export function limitsText(schema: JsonObject): string {
  const { pattern, format, multipleOf, uniqueItems, items } = schema
  const ofItems = isJsonObject(items) ? limitsText(items) : ''
  return [
    rangeText(schema),
    multipleOf === undefined ? '' : `a multiple of ${multipleOf}`,
    between(schema['minLength'], schema['maxLength'], 'character'),
    typeof pattern === 'string' ? `matches ${pattern}` : '',
    typeof format === 'string' ? (formats[format] ?? `in the format ${format}`) : '',
    between(schema['minItems'], schema['maxItems'], 'item'),
    uniqueItems === true ? 'no item twice' : '',
    ofItems === '' ? '' : `each item: ${ofItems}`,
  ]
    .filter(Boolean)
    .join(', ')
}

const formats: Readonly<Record<string, string>> = {
  // Their fields show it.
  date: '',
  password: '',
  'date-time': 'a time such as 2026-11-23T08:00:00Z',
  email: 'an email address',
  uri: 'an address such as https://example.com/',
}

function rangeText({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  const least = minimum === undefined ? undefined : `at least ${minimum}`
  const most = maximum === undefined ? undefined : `at most ${maximum}`
  const over = exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`
  const under = exclusiveMaximum === undefined ? undefined : `less than ${exclusiveMaximum}`
  return [least, over, most, under].filter((part) => part !== undefined).join(', ')
}

function between(least: JsonValue | undefined, most: JsonValue | undefined, noun: string): string {
  const plural = (count: JsonValue): string => `${count} ${noun}${count === 1 ? '' : 's'}`
  if (most === undefined) return least === undefined || least === 0 ? '' : `at least ${plural(least)}`
  if (least === undefined || least === 0) return `at most ${plural(most)}`
  return least === most ? `exactly ${plural(most)}` : `${least} to ${plural(most)}`
}
