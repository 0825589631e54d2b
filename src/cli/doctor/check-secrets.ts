import { resolveSecret } from '../../actions/index.ts'
import { type Configuration, createSecretStore } from '../configuration/index.ts'
import type { Io } from '../io.ts'
import { type Check, failedCheck } from './check.ts'

/** Whether each secret of the configuration has a value. None is shown. */
export async function checkSecrets(configuration: Configuration, io: Io): Promise<readonly Check[]> {
  const names = Object.keys(configuration.document.secrets ?? {})
  if (names.length === 0) return []
  const store = createSecretStore(configuration, io)
  const missing: Check[] = []
  for (const name of names) {
    await resolveSecret(name, store).catch((error: unknown) => missing.push(failedCheck('secrets', error)))
  }
  if (missing.length > 0) return missing
  return [{ name: 'secrets', status: 'ok', message: `${names.length} configured, and each has a value` }]
}
