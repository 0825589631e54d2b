/** Where `core/command` may run commands. Left out, everything is refused. */
export interface CommandRules {
  /**
   * The machine that makes the calls.
   * @default false
   */
  readonly local?: boolean
  /**
   * Hosts that commands may run on by ssh: names and addresses, `*.` before a name for all below it, `*` for any.
   * @default none
   */
  readonly ssh?: readonly string[]
}

/** Why a command may not run there; undefined: it may. `host` undefined: the machine that makes the calls. */
export function commandProblem(
  { local = false, ssh = [] }: CommandRules,
  host: string | undefined,
): string | undefined {
  if (host === undefined)
    return local ? undefined : 'commands on this machine are not allowed by "commands.local" of opsbook.yaml'
  const bare = host.toLowerCase().replace(/\.$/, '')
  return ssh.some((entry) => fits(entry.toLowerCase(), bare))
    ? undefined
    : `commands on ${host} are not allowed by "commands.ssh" of opsbook.yaml`
}

function fits(entry: string, host: string): boolean {
  if (entry === '*') return true
  return entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry
}

/** The rules as people read them. */
export function commandRulesText({ local = false, ssh = [] }: CommandRules = {}): string {
  const where = [
    ...(local ? ['this machine'] : []),
    ...ssh.map((entry) => (entry === '*' ? 'any host' : entry)),
  ]
  return where.length === 0 ? 'nowhere' : where.join(', ')
}
