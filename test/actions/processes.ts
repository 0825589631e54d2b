import { spawnSync } from 'node:child_process'

let count = 0

/** A command that sleeps, and that no other test runs. */
export function uniqueSleep(): string {
  count++
  return `sleep ${100_000 + (process.pid % 100_000)}.${count}`
}

/** The processes with this command line. */
export function processesOf(commandLine: string): readonly number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' })
  return stdout.split('\n').flatMap((line) => {
    const [, pid, args] = /^\s*(\d+)\s+(.*)$/.exec(line.trimEnd()) ?? []
    return args === commandLine ? [Number(pid)] : []
  })
}

export function isRunning(commandLine: string): boolean {
  return processesOf(commandLine).length > 0
}
