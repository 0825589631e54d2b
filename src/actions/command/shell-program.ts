import { type CommandRequest, filesVariable } from './request.ts'

/** The text that the shell of a command prints before it begins, and after its end, on both of its streams. */
export interface Marks {
  readonly begin: string
  readonly end: string
}

/** The marks of one attempt. `token` is random, so that no output of a command holds it. */
export function marksOf(token: string): Marks {
  return { begin: `opsbook-${token} begin\n`, end: `opsbook-${token} end ` }
}

/** What the shell is sent first: it answers once it is there, so that what is sent next is known to arrive. */
export function greeting({ begin }: Marks): string {
  const word = quote(begin.trimEnd())
  return `echo ${word}; echo ${word} >&2\n`
}

/** Seconds between SIGTERM and SIGKILL. */
export const graceSeconds = 5

/**
 * The program that runs a command, for any POSIX shell that reads it from its standard input. Secrets are quoted texts
 * in it, so they are arguments of no process. The shell parses all of it before it runs any of it: half a program runs
 * nothing.
 *
 * The shell leads a process group. It ends the group when its standard input ends, also where opsbook was killed.
 */
export function shellProgram(request: CommandRequest, { end }: Marks, filesFolder: string): string {
  const { on, command = [], script, env = {}, 'secret-env': secretEnv = {} } = request
  const words = script === undefined ? command.map(String) : ['/bin/sh', '-c', script, 'script']
  const variables = [
    ...(on === undefined ? [[filesVariable, filesFolder] as const] : []),
    ...Object.entries(env).map(([name, value]) => [name, String(value)] as const),
    ...Object.entries(secretEnv).map(([name, { secret }]) => [name, secret] as const),
  ]
  const mark = quote(end.trimEnd())
  return `{
exec 3<&0 4>&2 2>/dev/null
stopped=
trap stopped=1 TERM
(
trap : TERM
read -r line
kill -s TERM -- "-$$"
sleep ${graceSeconds}
kill -s KILL -- "-$$"
) <&3 >/dev/null 4>&- &
watcher=$!
(
exec </dev/null 2>&4 3<&- 4>&-
${variables.map(([name, value]) => `export ${name}=${quote(value)}\n`).join('')}exec ${words.map(quote).join(' ')}
)
code=$?
[ -n "$stopped" ] || kill -s KILL "$watcher"
echo ${mark} "$code"; echo ${mark} "$code" >&4
exit
}
`
}

/** One word for a POSIX shell: between single quotes nothing but the single quote means anything. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
