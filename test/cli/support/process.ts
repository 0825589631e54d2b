/** Commands in processes of their own: the build, as users have it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const root: string = fileURLToPath(new URL('../../..', import.meta.url))
export const main: string = join(root, 'dist/cli/main.js')

/** Throws where the build is missing or older than its sources. It is not made here: other tests run its files. */
export function requireBuild(): void {
  const setup = join(root, 'scripts/setup.mjs')
  const { status, stderr } = spawnSync(process.execPath, [setup, '--check'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly env: Readonly<Record<string, string>>
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with all that was written once this has been. */
  until(stream: 'stdout' | 'stderr', text: string): Promise<string>
}

export function start(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  folder: string,
): Running {
  return startProgram('dist/cli/main.js', words, env, folder)
}

/** The same of another program of the package. */
export function startProgram(
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  folder: string,
): Running {
  const child = spawn(process.execPath, [join(root, program), ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const said = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      said[name] += String(chunk)
      for (const listener of listeners) listener()
    })
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...said }))
  })
  const until = (stream: 'stdout' | 'stderr', text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const listener = (): void => {
        if (said[stream].includes(text)) resolve(said[stream])
      }
      listeners.add(listener)
      listener()
      void ended.then(({ stderr }) => reject(new Error(`ended before "${text}": ${stderr}`)))
    })
  return { child, env, ended, until }
}
