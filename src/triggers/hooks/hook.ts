import type { Template } from '../../core/expressions/tree.ts'

/** Where events come in: `POST /hooks/NAME`. */
export interface Hook {
  readonly name: string
  /** The type of the triggers that it can start. */
  readonly event: string
  /** Left out: whoever reaches the address. */
  readonly auth?: HookAuth
  /** Sees `body`. Left out: the header `webhook-id`. */
  readonly id?: Template
  /** What triggers see as `event`, made of `body`. Left out: the body. */
  readonly map?: Template
}

/** How senders prove who they are. Each of the secrets counts. */
export type HookAuth =
  | { readonly type: 'standard-webhooks'; readonly secrets: readonly string[] }
  | { readonly type: 'token'; readonly header: string; readonly secrets: readonly string[] }
  | HmacAuth

/** The body signed alone, as senders do that have a scheme of their own: hexadecimal HMAC-SHA256. */
export interface HmacAuth {
  readonly type: 'hmac'
  /** Holds one signature or several, with commas between them. */
  readonly header: string
  /** What stands before each signature. */
  readonly prefix: string
  readonly secrets: readonly string[]
}
