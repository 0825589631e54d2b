import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { retryStart } from '../../../support/retry-start.ts'

type Program = 'worker-process' | 'stuck-worker' | 'limits-process'

const programs: Readonly<Record<Program, URL>> = {
  'worker-process': new URL('./worker-process.ts', import.meta.url),
  'stuck-worker': new URL('./stuck-worker.ts', import.meta.url),
  'limits-process': new URL('./limits-process.ts', import.meta.url),
}

/** Starts a program of this folder as a process that can be paused and killed. Resolves once it has sent a message. */
export function forkProgram(
  name: Program,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  return retryStart(async () => {
    const child = fork(programs[name], args, {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, ...env },
    })
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said = (said + String(chunk)).slice(-4000)
    })
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} has ended: ${said}`)))
    await Promise.race([once(child, 'message'), ended])
    ended.catch(() => {})
    return child
  })
}

/** Resolves once the process has ended. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
