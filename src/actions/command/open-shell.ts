import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { RunbookError } from '../../core/run-error.ts'
import { createMarkedOutput } from './marked-output.ts'
import { type SshTarget, splitTarget } from './request.ts'
import { graceSeconds, greeting, type Marks, marksOf } from './shell-program.ts'

/** A shell that waits for one program. */
export interface Shell {
  readonly marks: Marks
  readonly stdout: Readable
  readonly stderr: Readable
  /** Sends the program, which begins at once. */
  run(program: string): void
  /** The exit code of the command; undefined where the connection or the shell ended first. */
  code(): number | undefined
  /** The command has ended, and all that it wrote to stdout has come. */
  isStdoutWhole(): boolean
  /** Ends the command and all processes of its group: SIGTERM, then SIGKILL. Its streams end within seconds. */
  stop(): void
  /** Lets the shell go, after the end of the command or without one. */
  close(): void
}

/** How long the processes of this machine are waited for, once they were asked to end. */
const mostEndMs = (graceSeconds + 2) * 1000

/**
 * Starts a shell on this machine, or by ssh on another. Rejects with `CommandNotStarted` where it does not answer:
 * nothing has run then. An abort of the signal gives it up while it is waited for.
 */
export async function openShell(on: SshTarget | undefined, signal: AbortSignal): Promise<Shell> {
  const key = on?.key === undefined ? undefined : await writeKey(on.key.secret)
  const marks = marksOf(randomBytes(16).toString('hex'))
  const child = on === undefined ? start('/bin/sh', []) : start('ssh', sshArguments(on, key?.file))
  const [stdout, stderr] = [createMarkedOutput(marks), createMarkedOutput(marks)]
  child.stdout?.pipe(stdout.output)
  child.stderr?.pipe(stderr.output)
  // A shell that has ended takes no more.
  child.stdin?.on('error', () => {})
  const failed = new Promise<Error>((resolve) => child.on('error', resolve))
  const shell: Shell = {
    marks,
    stdout: stdout.output,
    stderr: stderr.output,
    run: (program) => void child.stdin?.write(program),
    code: () => (stdout.code() === undefined ? undefined : stderr.code()),
    isStdoutWhole: () => stdout.code() !== undefined,
    stop() {
      child.stdin?.end()
      const timer = setTimeout(() => {
        signalGroup(child, 'SIGKILL')
        shell.close()
      }, mostEndMs)
      child.once('close', () => clearTimeout(timer))
    },
    close() {
      for (const stream of child.stdio) stream?.destroy()
      for (const { output } of [stdout, stderr]) output.end()
      // The shell here ends with its input. ssh also waits for what a command has left in the background.
      if (on !== undefined) signalGroup(child, 'SIGTERM')
    },
  }
  const stopEarly = (): void => shell.close()
  signal.addEventListener('abort', stopEarly, { once: true })
  try {
    child.stdin?.write(greeting(marks))
    const begun = await Promise.race([Promise.all([stdout.isBegun, stderr.isBegun]), failed])
    if (!(begun instanceof Error) && begun.every(Boolean)) return shell
    shell.close()
    throw notStarted(on, begun instanceof Error ? begun.message : stderr.before())
  } finally {
    signal.removeEventListener('abort', stopEarly)
    await key?.remove()
  }
}

/** The variables of this process that a command gets; those that ssh needs are for ssh alone. */
const kept = ['PATH', 'HOME', 'LANG'] as const
const ofSsh = ['SSH_AUTH_SOCK'] as const

function start(program: string, args: readonly string[]): ChildProcess {
  const names = program === 'ssh' ? [...kept, ...ofSsh] : kept
  const env = Object.fromEntries(
    names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  )
  // A session of its own: Ctrl-C in a terminal is for opsbook, which then ends the command, and ssh asks nothing there.
  return spawn(program, args, { env, detached: true, stdio: 'pipe' })
}

/** ssh that never asks, finds a dead connection within a minute, and hands nothing on. */
function sshArguments({ ssh, port }: SshTarget, keyFile: string | undefined): readonly string[] {
  const { user, host } = splitTarget(ssh)
  const options = {
    BatchMode: 'yes',
    ConnectTimeout: '30',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '3',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    RemoteCommand: 'none',
    ...(keyFile === undefined ? {} : { IdentitiesOnly: 'yes' }),
  }
  return [
    '-T',
    '-a',
    '-x',
    ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
    ...(keyFile === undefined ? [] : ['-i', keyFile]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(user === undefined ? [] : ['-l', user]),
    '--',
    host,
    'exec /bin/sh',
  ]
}

interface KeyFile {
  readonly file: string
  remove(): Promise<void>
}

/** ssh reads a key from a file only: it is there for the time of the login, for this user alone. */
async function writeKey(key: string): Promise<KeyFile> {
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-key-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  const file = join(folder, 'key')
  try {
    await writeFile(file, key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    await remove()
    const message = `the key cannot be written to ${folder}: ${(cause as Error).message}`
    throw new RunbookError('CommandNotStarted', message, { notSent: true, cause })
  }
  return { file, remove }
}

/** Sends a signal to the shell, or to ssh, and to its processes on this machine. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended.
  }
}

function notStarted(on: SshTarget | undefined, said: string): RunbookError {
  const [last = ''] = said.trimEnd().split('\n').slice(-1)
  const where = on === undefined ? 'on this machine' : `on ${splitTarget(on.ssh).host}`
  const message = `no shell answers ${where}${last.trim() === '' ? '' : `: ${last.trim()}`}; nothing was run`
  return new RunbookError('CommandNotStarted', message, { notSent: true })
}
