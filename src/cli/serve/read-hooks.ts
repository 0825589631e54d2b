import { dirname } from 'node:path'
import { createAuthenticate } from '../../triggers/hooks/authenticate.ts'
import type { Hook, HookAuth } from '../../triggers/hooks/hook.ts'
import { CommandError } from '../command-error.ts'
import type { HookAuthDocument } from '../configuration/hooks-schema.ts'
import type { Configuration } from '../configuration/index.ts'
import { readReference } from '../configuration/read-reference.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'

/** The hooks of `opsbook.yaml` without their secrets: enough to read an event by. */
export function describeHooks({ document, hooks = {} }: Configuration): readonly Hook[] {
  return Object.entries(document.hooks ?? {}).map(([name, { event = 'incident' }]) => ({
    name,
    event,
    ...hooks[name],
  }))
}

/** The hooks of `opsbook.yaml` with their secrets, and what is worth saying about where these were found. */
export async function readHooks(
  configuration: Configuration,
  io: Io,
): Promise<{ readonly hooks: readonly Hook[]; readonly warnings: readonly string[] }> {
  const warnings: string[] = []
  const hooks = describeHooks(configuration).map(async (hook): Promise<Hook> => {
    const auth = configuration.document.hooks?.[hook.name]?.auth
    if (!auth) return hook
    const secrets = await readSecrets(hook.name, auth, configuration, io)
    warnings.push(...secrets.flatMap((secret) => secret.warnings))
    return { ...hook, auth: checked(hook.name, auth, secrets) }
  })
  return { hooks: await Promise.all(hooks), warnings }
}

interface ReadSecret {
  readonly place: string
  readonly text: string
  readonly warnings: readonly string[]
}

function readSecrets(
  hook: string,
  { secret }: HookAuthDocument,
  { file }: Configuration,
  io: Io,
): Promise<readonly ReadSecret[]> {
  const references = typeof secret === 'string' ? [secret] : secret
  return Promise.all(
    references.map(async (reference) => {
      const read = await readReference(
        reference,
        file === undefined ? io.workingDirectory : dirname(file),
        io,
      )
      if ('text' in read) return { ...read, text: read.text.trim() }
      throw unusable(hook, `${read.place} ${read.problem}`, read.hint)
    }),
  )
}

/** The auth of a hook, once each of its secrets has been found to be one. */
function checked(
  hook: string,
  { type, header = '', prefix = '' }: HookAuthDocument,
  secrets: readonly ReadSecret[],
): HookAuth {
  const withSecrets = (secrets: readonly string[]): HookAuth => {
    switch (type) {
      case 'token':
        return { type, header, secrets }
      case 'hmac':
        return { type, header, prefix, secrets }
      case 'standard-webhooks':
        return { type, secrets }
    }
  }
  for (const { place, text } of secrets) {
    try {
      createAuthenticate(withSecrets([text]))
    } catch (error) {
      throw unusable(hook, `${place} ${(error as Error).message}`, hints[type])
    }
  }
  return withSecrets(secrets.map(({ text }) => text))
}

const hints: Readonly<Record<HookAuth['type'], string>> = {
  token: 'a long random text',
  hmac: 'the one that the sender signs with',
  'standard-webhooks': '"whsec_$(openssl rand -base64 32)" makes one',
}

function unusable(hook: string, reason: string, hint: string): CommandError {
  return new CommandError(
    exitCodes.environment,
    `the secret of the hook "${hook}" cannot be used: ${reason}`,
    {
      hints: [hint],
    },
  )
}
