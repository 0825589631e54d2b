import { childPath } from '../../api/validation/index.ts'
import type { InputProblem } from '../../core/action.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** The variable with the folder of the run's files, for commands on the machine that makes the calls. */
export const filesVariable = 'OPSBOOK_FILES'

type Word = string | number | boolean

/** The arguments of `core/command`, each secret with its value. */
export interface CommandRequest {
  readonly on?: SshTarget
  readonly command?: readonly Word[]
  readonly script?: string
  readonly env?: Readonly<Record<string, Word>>
  readonly 'secret-env'?: Readonly<Record<string, { readonly secret: string }>>
  readonly ok?: readonly number[]
  readonly output?: 'text' | 'lines' | 'json'
}

export interface SshTarget {
  /** `user@host`, or a host. */
  readonly ssh: string
  readonly port?: number
  readonly key?: { readonly secret: string }
}

/** Arguments that have passed the schema. */
export function asCommand(input: JsonObject): CommandRequest {
  return input as unknown as CommandRequest
}

/** What is wrong with a command beyond its schema. No secret is repeated. */
export function commandProblems(input: JsonObject): readonly InputProblem[] {
  const { on, command, script, env = {}, 'secret-env': secretEnv = {} } = asCommand(input)
  return [
    ...((command === undefined) === (script === undefined)
      ? [{ path: '', message: 'needs exactly one of command and script' }]
      : []),
    ...(on === undefined ? [] : targetProblems(on.ssh)),
    ...wordProblems(command ?? []),
    ...(hasNul(script) ? [{ path: 'script', message: noNul }] : []),
    ...variableProblems(env, secretEnv),
  ]
}

/** The user and the host of a target. */
export function splitTarget(target: string): { readonly user?: string; readonly host: string } {
  const at = target.lastIndexOf('@')
  return at < 0 ? { host: target } : { user: target.slice(0, at), host: target.slice(at + 1) }
}

/** The host that a step names; undefined where it names none that could be one. */
export function hostOf(on: JsonValue | undefined): string | undefined {
  const target = isJsonObject(on) ? on['ssh'] : undefined
  return typeof target === 'string' && isSound(target) ? splitTarget(target).host : undefined
}

/** Neither begins with `-`, which ssh would read as an option. */
const userPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/
const hostPattern = /^[A-Za-z0-9_:][A-Za-z0-9_.:-]*$/

function isSound(target: string): boolean {
  const { user, host } = splitTarget(target)
  return hostPattern.test(host) && (user === undefined || userPattern.test(user))
}

function targetProblems(target: string): readonly InputProblem[] {
  return isSound(target)
    ? []
    : [{ path: 'on.ssh', message: 'must be user@host or a host, of letters, digits, ".", "_", "-"' }]
}

const noNul = 'holds a character that no program can be given (NUL)'

function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0')
}

function wordProblems(command: readonly Word[]): readonly InputProblem[] {
  const [program] = command
  const words = command.flatMap((word, index) =>
    hasNul(word) ? [{ path: `command[${index}]`, message: noNul }] : [],
  )
  const isProgram = program === undefined || !/^(-|$)/.test(String(program))
  return isProgram
    ? words
    : [{ path: 'command[0]', message: 'must be the name or path of a program' }, ...words]
}

function variableProblems(
  env: Readonly<Record<string, Word>>,
  secretEnv: Readonly<Record<string, { readonly secret: string }>>,
): readonly InputProblem[] {
  const all = [
    ...Object.entries(env).map(([name, value]) => ({ name, value, holder: 'env', at: '' })),
    ...Object.entries(secretEnv).map(([name, { secret }]) => ({
      name,
      value: secret,
      holder: 'secret-env',
      at: '.secret',
    })),
  ]
  return all.flatMap(({ name, value, holder, at }) => {
    const path = childPath(holder, name)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [{ path, message: 'is not the name of a variable' }]
    if (name === filesVariable)
      return [{ path, message: 'is set by Opsbook: the folder with the files of the run' }]
    if (holder === 'secret-env' && Object.hasOwn(env, name))
      return [{ path, message: 'is given in env, too' }]
    return hasNul(value) ? [{ path: path + at, message: noNul }] : []
  })
}
