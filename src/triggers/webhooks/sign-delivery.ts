import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { HookAuth } from './read-delivery.ts'

/** The headers with which a sender proves a delivery, as `createAuthenticate` checks them. Uses the first secret. */
export function signDelivery(
  auth: HookAuth | undefined,
  { id, body, nowMs }: { readonly id: string; readonly body: string; readonly nowMs: number },
): Readonly<Record<string, string>> {
  const [secret = ''] = auth?.secrets ?? []
  switch (auth?.type) {
    case 'token':
      return { [auth.header]: auth.header.toLowerCase() === 'authorization' ? `Bearer ${secret}` : secret }
    case 'hmac':
      return {
        [auth.header]: `${auth.prefix}${createHmac('sha256', secret).update(body).digest('hex')}`,
      }
    case 'standard-webhooks':
      return {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(nowMs / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, new Date(nowMs), body),
      }
    default:
      return { 'webhook-id': id }
  }
}
