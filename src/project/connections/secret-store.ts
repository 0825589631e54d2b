import { missingSecret, type SecretStore, secretsOfAddress } from '../../actions/index.ts'
import { hint } from '../../core/text/index.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { readReference } from '../configuration/read-reference.ts'
import {
  httpConnections,
  isReference,
  secretPlaces,
  serviceConnections,
} from '../configuration/schema/connections-schema.ts'
import type { Surroundings } from '../surroundings.ts'

/**
 * Reads the secrets of `opsbook.yaml` from the environment and from files when they are needed. `hide` gets each value
 * before it is used.
 */
export function createSecretStore(
  configuration: Configuration,
  io: Surroundings,
  hide: (value: string) => void = () => {},
): SecretStore {
  const { file, document } = configuration
  const references = document.secrets ?? {}
  return {
    async resolve(name) {
      const reference = Object.hasOwn(references, name) ? references[name] : undefined
      if (file === undefined || reference === undefined) {
        const near = hint(name, Object.keys(references))
        throw missingSecret(`opsbook.yaml has no secret "${name}"${near}`)
      }
      const read = await readReference(reference, configuration, io)
      if (!('text' in read)) throw missingSecret(`the secret "${name}": ${read.place} ${read.problem}`)
      // Editors and `echo` add a line break; everything else can belong to the secret.
      const value = read.text.replace(/\r?\n$/, '')
      if (value === '') throw missingSecret(`the secret "${name}": ${read.place} is empty`)
      hide(value)
      return value
    },
    async others() {
      const values = await knownValues(configuration, io)
      for (const value of values) hide(value)
      return values
    },
  }
}

/** A shorter value can be in an answer by chance. */
const shortest = 8

/**
 * Every secret value of the configuration: secrets of runbooks, what connections prove themselves with, secrets of
 * hooks, addresses of notifications and secret ones of connections, and the key of callbacks.
 * Values that cannot be read are left out, since nothing can use them.
 */
async function knownValues(configuration: Configuration, io: Surroundings): Promise<readonly string[]> {
  const { secrets = {}, connections, hooks = {}, notify = [], serve } = configuration.document
  const others = httpConnections(connections)
  const references = [
    'env:OPSBOOK_APP_KEY',
    ...Object.values(secrets),
    ...Object.values(serviceConnections(connections)).map((connection) => connection['app-key']),
    ...Object.values(others).flatMap(secretPlaces),
    ...Object.values(hooks).flatMap(({ auth }) => auth?.secret ?? []),
    ...notify.map(({ url }) => url),
    ...[serve?.['callback-key'] ?? []].flat(),
  ]
  const read = async (reference: string): Promise<readonly string[]> => {
    const found = await readReference(reference, configuration, io)
    return 'text' in found ? [found.text.trim()] : []
  }
  const addresses = Object.values(others)
    .map((connection) => connection['base-url'])
    .filter(isReference)
  const values = await Promise.all([
    ...[...new Set(references)].map(read),
    ...addresses.map(async (place) => (await read(place)).flatMap(secretsOfAddress)),
  ])
  return values.flat().filter(({ length }) => length >= shortest)
}
