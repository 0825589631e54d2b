import { createHash } from 'node:crypto'

/** What is kept in place of a secret: it cannot be used as one, and a look-up by it takes no time that depends on the secret. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
