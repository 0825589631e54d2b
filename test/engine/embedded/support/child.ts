import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { bundleScripts } from './bundle-scripts.ts'
import type { ChildJob } from './run-in-child.ts'

type Line = Readonly<Record<string, unknown>>

/** A process of a test. */
export interface Child {
  /** Resolves with the first line it prints from now on that fits. */
  line(fits: (line: Line) => boolean): Promise<Line>
  /** The lines so far that fit. */
  lines(fits: (line: Line) => boolean): readonly Line[]
  /** Keeps it from doing anything more, alive, from the moment that this returns. */
  stop(): void
  /** Ends it at once, as a crash does; resolves when it has gone. */
  kill(): Promise<void>
  readonly ended: Promise<unknown>
}

/** They take a job as JSON and print lines of JSON. */
type Script = 'run-in-child' | 'limits-in-child' | 'line-in-child' | 'send-events'

const scripts: Readonly<Record<Script, string>> = await bundleScripts({
  'run-in-child': new URL('./run-in-child.ts', import.meta.url),
  'limits-in-child': new URL('./limits-in-child.ts', import.meta.url),
  'line-in-child': new URL('./line-in-child.ts', import.meta.url),
  'send-events': new URL('./send-events.ts', import.meta.url),
})

/** Starts a run, or carries one on, in a process of its own. */
export function startChild(job: ChildJob): Child {
  return startScript('run-in-child', job)
}

/** Runs a script in a process of its own. */
export function startScript(script: Script, job: object): Child {
  const child: ChildProcess = spawn(process.execPath, [scripts[script], JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(() => {
    child.kill('SIGKILL')
    return ended.then(() => {})
  })
  const lines: Line[] = []
  const waiting: { readonly fits: (line: Line) => boolean; readonly resolve: (line: Line) => void }[] = []
  if (!child.stdout) throw new Error('the child has no output')
  createInterface(child.stdout).on('line', (text) => {
    const line = JSON.parse(text) as Line
    lines.push(line)
    for (const one of [...waiting]) {
      if (!one.fits(line)) continue
      waiting.splice(waiting.indexOf(one), 1)
      one.resolve(line)
    }
  })
  return {
    line: (fits) => {
      const seen = lines.find(fits)
      return seen ? Promise.resolve(seen) : new Promise((resolve) => waiting.push({ fits, resolve }))
    },
    lines: (fits) => lines.filter(fits),
    // Not `child.kill`, which returns before the signal has arrived.
    stop: () => void execFileSync('sh', ['-c', `kill -STOP ${child.pid}`]),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    ended,
  }
}

/** The calls that processes have made, in order. */
export function callsIn(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean)
}
