import { CommandError } from '../command-error.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Configuration } from './read-configuration.ts'
import { readReference } from './read-reference.ts'
import { consoleAddress } from './schema/console-schema.ts'

/** The public addresses of `serve`, for callbacks, and of the console, for `run.url`. */
export function publicUrls({ document }: Configuration): {
  readonly publicUrl?: string
  readonly consoleUrl?: string
} {
  const url = document.serve?.['public-url']
  const { console: consoleUrl } = consoleAddress(document)
  return {
    ...(url === undefined ? {} : { publicUrl: url }),
    ...(consoleUrl === undefined ? {} : { consoleUrl }),
  }
}

/** A shorter key can be guessed. */
const fewestCharacters = 32

/** The key for the tokens of callbacks on Temporal. Undefined: none is configured. Throws if it cannot be read. */
export async function readConfiguredCallbackKey(
  configuration: Configuration,
  io: Surroundings,
): Promise<string | undefined> {
  const reference = configuration.document.serve?.['callback-key']
  if (reference === undefined) return undefined
  const read = await readReference(reference, configuration, io)
  if (!('text' in read)) throw unusable(`${read.place} ${read.problem}`)
  const key = read.text.trim()
  if (key.length >= fewestCharacters) return key
  throw unusable(`${read.place} is shorter than ${fewestCharacters} characters`)
}

/** What workers make the addresses of callbacks with. Undefined: they make none. */
export async function readCallbacks(
  configuration: Configuration,
  io: Surroundings,
): Promise<{ readonly publicUrl: string; readonly key: string } | undefined> {
  const key = await readConfiguredCallbackKey(configuration, io)
  const { publicUrl: url } = publicUrls(configuration)
  return key === undefined || url === undefined ? undefined : { publicUrl: url, key }
}

function unusable(reason: string): CommandError {
  return new CommandError('environment', `"callback-key" cannot be used: ${reason}`, {
    hints: ['"openssl rand -hex 32" generates one'],
  })
}
