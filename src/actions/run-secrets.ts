import { createMask, type Mask, secretMark } from '../core/mask/mask.ts'
import { RunbookError } from '../core/run-error.ts'
import { resolveSecret, type SecretStore } from './secret-store.ts'

/** The secrets of one run. What its attempts answer holds none of them, whichever step names them. */
export interface RunSecrets {
  /** Hides every secret that the run has read, or could read. */
  readonly mask: Mask
  /** The value of a secret, hidden from now on. Rejects with `MissingSecret`. */
  resolve(name: string): Promise<string>
  /** Resolves once every secret of the run is hidden, and those of the project around it. */
  learned(): Promise<void>
}

/**
 * The secrets that a run with these names can read, and its sensitive inputs. The values of secrets are looked up when the
 * first attempt is made.
 */
export function createRunSecrets(
  store: SecretStore,
  names: readonly string[],
  inputs: readonly string[] = [],
): RunSecrets {
  const mask = createMask(inputs.filter(isLongEnough), secretMark)
  const resolve = async (name: string): Promise<string> => {
    const value = await resolveSecret(name, store)
    mask.hide(value)
    return value
  }
  const learnAll = async (): Promise<void> => {
    // A secret without a value, such as that of a skipped step, is in no answer.
    await Promise.allSettled(names.map(resolve))
    for (const value of (await store.others?.()) ?? []) mask.hide(value)
  }
  let learning: Promise<void> | undefined
  return {
    mask,
    resolve,
    learned() {
      learning ??= learnAll().catch((cause: unknown) => {
        learning = undefined
        const message = 'the secrets of the project cannot be looked up, and so not be hidden'
        throw new RunbookError('MissingSecret', message, { notSent: true, cause })
      })
      return learning
    },
  }
}

/** A shorter input, such as a count, stands in many answers that have nothing to do with it. */
const leastCharacters = 4

function isLongEnough(value: string): boolean {
  return value.length >= leastCharacters
}

/** A worker keeps the masks of this many runs. An older run looks its secrets up again. */
const mostRuns = 200

/** The secrets of the runs that a worker makes attempts for, by the ids of the runs. */
export function createSecretsOfRuns(
  store: SecretStore,
): (runId: string, names: readonly string[], inputs?: readonly string[]) => RunSecrets {
  const known = new Map<string, RunSecrets>()
  return (runId, names, inputs = []) => {
    // A run that was changed can name others.
    const key = JSON.stringify([runId, names])
    const secrets = known.get(key) ?? createRunSecrets(store, names)
    for (const value of inputs.filter(isLongEnough)) secrets.mask.hide(value)
    known.delete(key)
    known.set(key, secrets)
    const [oldest] = known.keys()
    if (known.size > mostRuns && oldest !== undefined) known.delete(oldest)
    return secrets
  }
}
