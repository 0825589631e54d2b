import { createHmac, timingSafeEqual } from 'node:crypto'
import { type CallbackAddresses, callbackNames } from '../../core/hooks/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import { RunbookError } from '../../core/run-error.ts'

/** What the addresses of callbacks are made with. */
export interface CallbackSettings {
  /** The public address of `serve`, such as `https://ops.example.com`. */
  readonly publicUrl: string
  /** The key that tokens are made with. */
  readonly key: string
}

/** The addresses of the callbacks of a run: the same whenever they are made. */
export function callbackAddresses(
  runId: string,
  names: readonly string[],
  { publicUrl, key }: CallbackSettings,
): CallbackAddresses {
  const base = publicUrl.replace(/\/+$/, '')
  return Object.fromEntries(
    names.map((name) => [
      name,
      `${base}/callbacks/${encodeURIComponent(runId)}/${name}/${tokenOf(key, runId, name)}`,
    ]),
  )
}

/** The page of a run, at the public address of the console. Empty without one. */
export function pageOfRun(runId: string, consoleUrl: string | undefined): { readonly url?: string } {
  return consoleUrl === undefined
    ? {}
    : { url: `${consoleUrl.replace(/\/+$/, '')}/runs/${encodeURIComponent(runId)}` }
}

/** Proves that the sender has the address. */
function tokenOf(key: string, runId: string, name: string): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([runId, name]))
    .digest('base64url')
}

/** Whether the token is that of the callback. Takes the same time for every token of the right length. */
export function isCallbackToken(key: string, runId: string, name: string, token: string): boolean {
  const expected = Buffer.from(tokenOf(key, runId, name))
  const given = Buffer.from(token)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Throws `NoPublicUrl` for a plan with callbacks where their addresses are not known. */
export function requirePublicUrl(plan: Plan, publicUrl: string | undefined): void {
  const [name] = callbackNames(plan)
  if (name === undefined || publicUrl !== undefined) return
  throw noPublicUrl(name, 'opsbook.yaml has no public-url under "serve"')
}

/** The error for a callback without an address. */
export function noPublicUrl(name: string, reason: string): RunbookError {
  const message = `the callback ${name} has no address: ${reason}`
  return new RunbookError('NoPublicUrl', message, { notSent: true })
}
