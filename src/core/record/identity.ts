/** Who did something, and how that is known. */
export interface Identity {
  /** What views call them. */
  readonly name: string
  /**
   * Where the name comes from. `console`: a login. `token`, `agent`: a token of a person, or of a program. `flag`: what
   * `--by` claims. `server`: it was cancelled there. `timeout`: no answer came.
   */
  readonly source: 'system-user' | 'console' | 'token' | 'agent' | 'flag' | 'server' | 'timeout'
  /** The name was checked when it was recorded. A name of `--by` never is. Left out: it was not. */
  readonly verified?: true
  /** Names the person at the provider that logged them in, whatever their name is there. Left out: it has no such id. */
  readonly id?: string
  /** The system user of the process that they used, whatever name they gave. Left out: it was no person. */
  readonly user?: string
}

/** Who answered, and how the name is known: `ada (console)`, `bob (claimed on the command line, user root)`. */
export function answererText({ name, source, verified, user }: Identity): string {
  if (source === 'flag') return `${name} (claimed on the command line, user ${user ?? 'unknown'})`
  if (source === 'system-user') return verified ? `${name} (system user)` : name
  return source === 'timeout' || source === 'server' ? name : `${name} (${source})`
}

/** The identity in one text: a claimed name never stands without the system user. */
export function identityText({ name, source, user }: Identity): string {
  return source === 'flag' ? `${name} (user ${user ?? 'unknown'})` : name
}
