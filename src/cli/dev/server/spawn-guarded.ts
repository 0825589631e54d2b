import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** How a program ended. */
export interface ProgramEnd {
  /** Missing when a signal ended it. */
  readonly exitCode: number | undefined
  /** The last lines that it wrote. */
  readonly output: string
}

/** A program that ends with this process, however this process ends. */
export interface GuardedProgram {
  readonly processId: number
  readonly ended: Promise<ProgramEnd>
  /** Asks the program to end, kills it after a time limit, and waits for its end. */
  stop(): Promise<void>
}

const keptLines = 40

/**
 * The shell becomes the program. A second one reads a pipe whose other end this process holds. When this process dies,
 * by `kill -9` too, the system closes the pipe, and the second shell ends the program. Files that the program makes are
 * readable by their owner alone: they hold inputs and outputs of runs.
 */
const guard = `
umask 077
exec 3<&0
(
  cat <&3
  kill -TERM $$ || exit
  for second in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 $$ || exit; done
  kill -KILL $$
) >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-
`

/** Starts a program that cannot outlive this process; on Windows a killed process leaves it running. */
export async function spawnGuarded(
  path: string,
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<GuardedProgram> {
  const isWindows = process.platform === 'win32'
  // In its own process group: Ctrl-C at a terminal ends the workers before the server.
  const options = { env: { ...environment }, detached: !isWindows, windowsHide: true }
  const child = isWindows
    ? spawn(path, words, options)
    : spawn('sh', ['-c', guard, 'sh', path, ...words], options)
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line)
      if (lines.length > keptLines) lines.shift()
    })
  }
  await once(child, 'spawn')
  const ended = once(child, 'close').then(([exitCode]) => ({
    exitCode: exitCode ?? undefined,
    output: lines.join('\n'),
  }))
  const stop = async (): Promise<void> => {
    if (isWindows) child.kill()
    else child.stdin.end()
    await ended
  }
  return { processId: child.pid as number, ended, stop }
}
