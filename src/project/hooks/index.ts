/** The hooks of `opsbook.yaml`, with their secrets. */
import { listeningSteps } from '../../core/hooks/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import { triggerText } from '../../core/triggers/index.ts'
import { createAuthenticate, type Hook, type HookAuth } from '../../triggers/webhooks/index.ts'
import { CommandError } from '../command-error.ts'
import {
  type Configuration,
  configurationDefaults,
  type HookAuthDocument,
  noHook,
  readReference,
} from '../configuration/index.ts'
import type { Surroundings } from '../surroundings.ts'

/** The hooks of `opsbook.yaml` without their secrets: enough to map an event. */
export function describeHooks({ document, hooks = {} }: Configuration): readonly Hook[] {
  return Object.entries(document.hooks ?? {}).map(
    ([name, { event = configurationDefaults.hookEvent, format, 'content-type': contentType }]) => ({
      name,
      event,
      ...(format === undefined ? {} : { format }),
      ...(contentType === undefined ? {} : { contentType }),
      ...hooks[name],
    }),
  )
}

/** The hooks of `opsbook.yaml` with their secrets, and warnings about the secrets. */
export async function readHooks(
  configuration: Configuration,
  io: Surroundings,
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
  configuration: Configuration,
  io: Surroundings,
): Promise<readonly ReadSecret[]> {
  const references = typeof secret === 'string' ? [secret] : secret
  return Promise.all(
    references.map(async (reference) => {
      const read = await readReference(reference, configuration, io)
      if ('text' in read) return { ...read, text: read.text.trim() }
      throw unusable(hook, `${read.place} ${read.problem}`, read.hint)
    }),
  )
}

/** The auth of a hook. Throws if one of its secrets is unusable. */
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
  token: 'use a long random text',
  hmac: 'use the secret that the sender signs with',
  'standard-webhooks': '"whsec_$(openssl rand -base64 32)" generates one',
}

function unusable(hook: string, reason: string, hint: string): CommandError {
  return new CommandError('environment', `the secret of the hook "${hook}" cannot be used: ${reason}`, {
    hints: [hint],
  })
}

/** Warnings about triggers, and steps that wait for events, whose hook is not configured. */
export function missingHooks(
  runbooks: readonly { readonly plan: Plan }[],
  hooks: readonly string[],
): readonly string[] {
  return runbooks.flatMap(({ plan }) => [
    ...(plan.triggers ?? []).flatMap((trigger, index) => {
      if (trigger.type === 'schedule' || trigger.hook === undefined || hooks.includes(trigger.hook)) return []
      return [`${triggerText(index)} of ${plan.name} starts nothing: ${noHook(trigger.hook, hooks)}`]
    }),
    ...listeningSteps(plan).flatMap(({ hook, id }) => {
      if (hook === undefined || hooks.includes(hook)) return []
      return [`the step ${id} of ${plan.name} takes no event: ${noHook(hook, hooks)}`]
    }),
  ])
}
