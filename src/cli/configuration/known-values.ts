import { dirname } from 'node:path'
import type { Io } from '../io.ts'
import type { Configuration } from './read-configuration.ts'
import { readReference } from './read-reference.ts'

/** A shorter value can be in an answer by chance. */
const shortest = 8

/**
 * Every value that the configuration names as a secret: secrets of runbooks, app keys, secrets of hooks, addresses of
 * notifications. A value that cannot be read is left out: nothing can use it.
 */
export async function knownValues({ file, document }: Configuration, io: Io): Promise<readonly string[]> {
  const { secrets = {}, connections = {}, hooks = {}, notify = [] } = document
  const references = [
    'env:OPSBOOK_APP_KEY',
    ...Object.values(secrets),
    ...Object.values(connections).map((connection) => connection['app-key']),
    ...Object.values(hooks).flatMap(({ auth }) => auth?.secret ?? []),
    ...notify.map(({ url }) => url),
  ]
  const folder = file === undefined ? io.workingDirectory : dirname(file)
  const read = await Promise.all(
    [...new Set(references)].map((reference) => readReference(reference, folder, io)),
  )
  return read
    .flatMap((one) => ('text' in one ? [one.text.trim()] : []))
    .filter(({ length }) => length >= shortest)
}
