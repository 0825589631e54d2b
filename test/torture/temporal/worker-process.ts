import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { opsbookWords } from '../opsbook-process.ts'

/** A worker as a process of its own. */
export interface WorkerProcess {
  /** Resolves once it takes work, or has ended before it could. */
  readonly ready: Promise<void>
  /** Resolves with what it wrote for people. */
  readonly ended: Promise<string>
  isReady(): boolean
  kill(signal: 'SIGKILL' | 'SIGTERM'): void
}

/** Starts `opsbook worker`. */
export function startWorkerProcess(env: Readonly<Record<string, string>>): WorkerProcess {
  const child = spawn(process.execPath, [...opsbookWords, 'worker'], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = (signal: 'SIGKILL' | 'SIGTERM'): void => void child.kill(signal)
  const killLast = (): void => kill('SIGKILL')
  process.once('exit', killLast)
  let isReady = false
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + String(chunk)).slice(-4000)
  })
  const ended = once(child, 'close').then(() => {
    process.off('exit', killLast)
    return stderr
  })
  const told = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).once('line', () => {
      isReady = true
      resolve()
    })
  })
  return { ready: Promise.race([told, ended.then(() => {})]), ended, isReady: () => isReady, kill }
}
