import { inspect } from 'node:util'
import { RunbookError } from 'opsbook/api'
import { sandboxKeys } from 'opsbook/sandbox'
import { expect } from 'vitest'

const sandboxSecrets = sandboxKeys.map(({ key }) => key)

/** The error that a call rejects with. Fails when there is none, or when a key shows anywhere in it. */
export async function failureOf(
  call: Promise<unknown>,
  secrets: readonly string[] = sandboxSecrets,
): Promise<RunbookError> {
  const error: unknown = await call.then(
    (value) => expect.fail(`the call succeeded with ${inspect(value)}`),
    (thrown: unknown) => thrown,
  )
  if (!RunbookError.is(error)) throw error
  expectNoSecret(error, secrets)
  return error
}

/** Looks for secrets in everything that can be printed of a value, its causes included. */
export function expectNoSecret(value: unknown, secrets: readonly string[] = sandboxSecrets): void {
  const texts = [everythingIn(value), ...causesOf(value).flatMap(printed)]
  for (const secret of secrets) {
    for (const form of formsOf(secret)) {
      for (const text of texts) expect(text.toLowerCase()).not.toContain(form.toLowerCase())
    }
  }
}

function everythingIn(value: unknown): string {
  return inspect(value, {
    depth: Number.POSITIVE_INFINITY,
    showHidden: true,
    getters: true,
    breakLength: Number.POSITIVE_INFINITY,
    maxStringLength: null,
    maxArrayLength: null,
  })
}

function causesOf(value: unknown): readonly unknown[] {
  return value instanceof Error ? [value, ...causesOf(value.cause)] : []
}

function printed(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  return [error.message, error.stack ?? '', String(error), JSON.stringify(error)]
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [secret, encodeURIComponent(secret), bytes.toString('base64'), bytes.toString('hex')]
}

/** `OK`, or the code of a failure that shows no key. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  const [settled] = await Promise.allSettled([call])
  return settled?.status === 'fulfilled' ? 'OK' : (await failureOf(call)).code
}
