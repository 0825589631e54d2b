import { type Code, type Text, usualText } from './codes.ts'
import type { Json } from './json.ts'

/** A call that was refused; nothing was executed. */
export interface Refused {
  readonly kind: 'refused'
  readonly code: string
  readonly text: Text
  readonly headers?: Readonly<Record<string, string>>
}

/** What became of a call, before it is put into an envelope or a stream. */
export type HandledOutcome =
  | { readonly kind: 'data'; readonly data?: Json }
  | { readonly kind: 'lines'; readonly lines: (isNewer: boolean) => AsyncIterable<string> }
  | Refused

export function refuseCall(
  code: Code,
  text: Text = usualText(code),
  headers?: Readonly<Record<string, string>>,
): Refused {
  return { kind: 'refused', code, text, ...(headers && { headers }) }
}

/** A parameter that is refused: the message starts with the name of the field. */
export function refuseField(field: string, en: string, zh: string): Refused {
  return refuseCall('InvalidParameter', { en: `${field}: ${en}`, zh: `${field}：${zh}` })
}

/** A reference to something that is not there, or not there for this caller: both sound the same. */
export function refuseMissing(field: string): Refused {
  return refuseCall('ResourceNotFound', {
    en: `${field}: there is no such resource`,
    zh: `${field}：资源不存在`,
  })
}
