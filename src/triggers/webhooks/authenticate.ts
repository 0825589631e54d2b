import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'
import type { HmacAuth, HookAuth } from './read-delivery.ts'

/** Whether the sender of a delivery knows the secret. */
export type Authenticate = (headers: IncomingHttpHeaders, body: Buffer) => boolean

/** Throws for a malformed secret, without the secret in the message. */
export function createAuthenticate(auth: HookAuth | undefined): Authenticate {
  if (!auth) return () => true
  switch (auth.type) {
    case 'token':
      return checkToken(auth.header, auth.secrets)
    case 'hmac':
      return checkHmac(auth)
    case 'standard-webhooks':
      return checkSignature(auth.secrets)
  }
}

/** Signed no longer than five minutes ago, as the Standard Webhooks specification says. */
function checkSignature(secrets: readonly string[]): Authenticate {
  const webhooks = secrets.map(readSecret)
  return (headers, body) => {
    const signed: Record<string, string> = {}
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const value = headers[name]
      if (typeof value === 'string') signed[name] = value
    }
    return webhooks.some((webhook) => isSigned(webhook, signed, body))
  }
}

function isSigned(webhook: Webhook, headers: Record<string, string>, body: Buffer): boolean {
  try {
    webhook.verify(body, headers, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

/** Shorter keys can be guessed. The specification asks for 24 bytes. */
const fewestBytes = 16

function readSecret(secret: string): Webhook {
  const text = secret.replace(/^whsec_/, '')
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0
  if (!isBase64) throw new Error('is not base64, with or without whsec_ before it')
  if (Buffer.from(text, 'base64').length < fewestBytes)
    throw new Error(`is shorter than ${fewestBytes} bytes`)
  return new Webhook(secret)
}

/** Compares digests, so that neither time nor length reveals the secret. */
function checkToken(header: string, secrets: readonly string[]): Authenticate {
  if (secrets.includes('')) throw new Error('is empty')
  const name = header.toLowerCase()
  const known = secrets.map(digest)
  return (headers) => {
    const given = headers[name]
    if (typeof given !== 'string') return false
    const [, bearer] = /^bearer +(.*)$/is.exec(given) ?? []
    const text = name === 'authorization' ? bearer : given
    if (text === undefined) return false
    const token = digest(text)
    // Compares all of them, so that the time reveals nothing.
    return known.filter((one) => timingSafeEqual(one, token)).length > 0
  }
}

/** One valid signature is enough: senders sign with two secrets while they replace one. */
function checkHmac({ header, prefix, secrets }: HmacAuth): Authenticate {
  if (secrets.some((secret) => Buffer.byteLength(secret) < fewestBytes))
    throw new Error(`is shorter than ${fewestBytes} bytes`)
  const name = header.toLowerCase()
  return (headers, body) => {
    const given = headers[name]
    if (typeof given !== 'string') return false
    const signatures = given
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one.startsWith(prefix))
      .map((one) => digest(one.slice(prefix.length).toLowerCase()))
    const expected = secrets.map((secret) => digest(createHmac('sha256', secret).update(body).digest('hex')))
    return expected.some((one) => signatures.some((signature) => timingSafeEqual(one, signature)))
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
