import { type ChildProcess, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
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
  /** Of the program itself. */
  readonly processId: number
  readonly ended: Promise<ProgramEnd>
  /** Asks the program to end, kills it after a time limit, and waits for its end. */
  stop(): Promise<void>
}

const maxWaitSeconds = 10
const keptLines = 40

/**
 * The shell waits for the program; a second one reads a pipe whose other end this process holds. When this process
 * dies, by `kill -9` too, the system closes the pipe and the shell ends the program. Files that the program makes are
 * readable by their owner alone: they hold inputs and outputs of runs.
 */
const guard = `
umask 077
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
echo "$program"
(
  cat <&3 >/dev/null
  kill -TERM "$program"
  waited=0
  while [ "$waited" -lt ${maxWaitSeconds} ] && sleep 1; do waited=$((waited + 1)); done
  kill -KILL "$program"
) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$program"
code=$?
kill "$watcher"
exit "$code"
`

/** Starts a program that cannot outlive this process. */
export async function spawnGuarded(
  path: string,
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<GuardedProgram> {
  const isWindows = process.platform === 'win32'
  const options: SpawnOptionsWithoutStdio = { stdio: 'pipe', env: { ...environment } }
  // In its own process group: Ctrl-C at a terminal ends the workers before the server.
  const child = isWindows
    ? spawn(path, words, { ...options, windowsHide: true })
    : spawn('sh', ['-c', guard, 'sh', path, ...words], { ...options, detached: true })
  const lines: string[] = []
  const keep = (line: string): void => {
    lines.push(line)
    if (lines.length > keptLines) lines.shift()
  }
  createInterface(child.stderr).on('line', keep)
  const output = createInterface(child.stdout)
  await once(child, 'spawn')
  const processId = isWindows ? child.pid : Number((await once(output, 'line'))[0])
  output.on('line', keep)
  if (isWindows) endWithProcess(child)
  const ended = once(child, 'close').then(([exitCode]) => ({
    exitCode: exitCode ?? undefined,
    output: lines.join('\n'),
  }))
  return { processId: processId as number, ended, stop: () => stop(child, ended) }
}

async function stop(child: ChildProcess, ended: Promise<ProgramEnd>): Promise<void> {
  if (process.platform === 'win32') child.kill()
  else child.stdin?.end()
  await ended
}

/** Without a shell, a process that is killed leaves the program behind. */
function endWithProcess(child: ChildProcess): void {
  const end = (): void => void child.kill()
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}
