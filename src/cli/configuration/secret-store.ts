import { dirname } from 'node:path'
import { missingSecret, type SecretStore } from '../../actions/index.ts'
import { hint } from '../../core/nearest.ts'
import type { Io } from '../io.ts'
import { knownValues } from './known-values.ts'
import type { Configuration } from './read-configuration.ts'
import { readReference } from './read-reference.ts'

/**
 * The secrets that `secrets` in `opsbook.yaml` names, read from the environment and from files when they are asked for.
 * `hide` is given each value before it is used.
 */
export function createSecretStore(
  configuration: Configuration,
  io: Io,
  hide: (value: string) => void = () => {},
): SecretStore {
  const { file, document } = configuration
  const references = document.secrets ?? {}
  return {
    async resolve(name) {
      const reference = Object.hasOwn(references, name) ? references[name] : undefined
      if (file === undefined || reference === undefined) {
        const near = hint(name, Object.keys(references))
        throw missingSecret(`opsbook.yaml says nothing about the secret "${name}"${near}`)
      }
      const read = await readReference(reference, dirname(file), io)
      if (!('text' in read)) throw missingSecret(`the secret "${name}": ${read.place} ${read.problem}`)
      // Editors and `echo` leave a line break at the end; everything else may belong to the secret.
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
