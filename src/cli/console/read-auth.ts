import { dirname } from 'node:path'
import { type Login, type ProxyAuth, rolesOf } from '../../console/server/index.ts'
import { CommandError } from '../shared/command-error.ts'
import type { Configuration } from '../shared/configuration/read-configuration.ts'
import { readReference } from '../shared/configuration/read-reference.ts'
import type { CommandContext } from '../shared/context.ts'
import { exitCodes } from '../shared/exit-codes.ts'

/** How people log in to the console of `opsbook.yaml`. */
export interface ConsoleAuth {
  readonly auth?: ProxyAuth
  readonly warnings: readonly string[]
}

const usualHeaders = {
  user: 'X-Forwarded-User',
  groups: 'X-Forwarded-Groups',
  secret: 'X-Opsbook-Proxy-Secret',
  address: 'X-Forwarded-For',
}

/** A shorter secret can be guessed. */
const fewestCharacters = 32

/** Reads how people log in. Throws if a secret cannot be read. */
export async function readConsoleAuth(
  configuration: Configuration,
  { io }: CommandContext,
): Promise<ConsoleAuth> {
  const { document, file } = configuration
  const { auth } = document.console ?? {}
  if (auth === undefined) return { warnings: [] }
  const folder = file === undefined ? io.workingDirectory : dirname(file)
  const read = await readReference(auth.secret, folder, io)
  if (!('text' in read)) throw unusable(`${read.place} ${read.problem}`, read.hint)
  const secret = read.text.trim()
  if (secret.length < fewestCharacters)
    throw unusable(
      `${read.place} is shorter than ${fewestCharacters} characters`,
      '"openssl rand -hex 32" generates one',
    )
  const headers = { ...usualHeaders, ...auth.headers }
  return {
    auth: { type: 'proxy', secret, headers, login: createLogin(document.people?.groups ?? {}, auth.roles) },
    warnings: read.warnings,
  }
}

/** Who someone is by a login: the groups that it says, and those of `people`. */
function createLogin(
  people: Readonly<Record<string, readonly string[]>>,
  roles: Parameters<typeof rolesOf>[1],
): (name: string, groups: readonly string[]) => Login {
  return (name, groups) => {
    const having = Object.entries(people).flatMap(([group, names]) => (names.includes(name) ? [group] : []))
    return {
      by: { name, source: 'console', verified: true },
      roles: rolesOf([...groups, ...having], roles),
      ...(groups.length === 0 ? {} : { groups }),
    }
  }
}

function unusable(reason: string, hint: string): CommandError {
  return new CommandError(exitCodes.environment, `console.auth.secret cannot be used: ${reason}`, {
    hints: [hint],
  })
}
