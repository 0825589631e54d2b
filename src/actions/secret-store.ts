import { shortestKey } from '../api/secrets/index.ts'
import { type PreviewOptions, secretsNeeded } from '../core/preview/index.ts'
import { RunbookError } from '../core/run-error.ts'

/** Where the values of secrets come from. */
export interface SecretStore {
  /** The value of a secret, looked up anew each time. Rejects with `MissingSecret` where there is none. */
  resolve(name: string): Promise<string>
  /**
   * Values that no answer may repeat although no step takes them, such as app keys and the secrets of hooks.
   * @default none
   */
  others?(): Promise<readonly string[]>
}

/** A store without any secret. */
export const noSecrets: SecretStore = {
  resolve: (name) => Promise.reject(missingSecret(`no value is configured for the secret "${name}"`)),
}

/** The error for a secret without a value. Nothing has been sent by then. */
export function missingSecret(message: string): RunbookError {
  return new RunbookError('MissingSecret', message, { notSent: true })
}

/** The value of a secret. Rejects with `MissingSecret` where there is none that can be kept out of what is recorded. */
export async function resolveSecret(name: string, store: SecretStore): Promise<string> {
  const value = await store.resolve(name)
  if (value.length >= shortestKey) return value
  throw missingSecret(
    `the secret "${name}" has fewer than ${shortestKey} characters: too few to be found, and hidden, in answers`,
  )
}

/**
 * The values of the secrets that a run can read, by name, without those of steps that are skipped. Rejects with one
 * `MissingSecret` that lists all missing ones. Callers await it before a run sends anything.
 */
export async function requireSecrets(
  run: Pick<PreviewOptions, 'plan' | 'inputs' | 'actions'>,
  store: SecretStore,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>()
  const missing: string[] = []
  for (const name of secretsNeeded(run)) {
    try {
      values.set(name, await resolveSecret(name, store))
    } catch (thrown) {
      if (!RunbookError.is(thrown) || thrown.code !== 'MissingSecret') throw thrown
      missing.push(thrown.message)
    }
  }
  if (missing.length > 0) throw missingSecret(`${missing.join('; ')}; nothing was sent`)
  return values
}
