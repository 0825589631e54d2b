import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TimedRunEvent } from 'opsbook'

/** The build: what people run. */
export const opsbookWords: readonly string[] = [
  fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url)),
]

export type Signal = 'SIGKILL' | 'SIGINT'

/** A command that is being carried out. */
export interface OpsbookProcess {
  readonly words: readonly string[]
  kill(signal?: Signal): void
  /** Whether such an event comes before the process ends; at once where it has come already. */
  seen(fits: (event: TimedRunEvent) => boolean): Promise<boolean>
  readonly ended: Promise<Ended>
}

/** How a process ended. */
export interface Ended {
  readonly words: readonly string[]
  readonly code: number | null
  readonly signal: string | null
  readonly runId: string | undefined
  /** The last event, which of a run that has ended is `run_finished`. */
  readonly last: TimedRunEvent | undefined
  readonly stderr: string
  /** It did not end by itself in the time that it was given. */
  readonly isStuck: boolean
  /** When that was seen here: what it did was done before. */
  readonly atMs: number
}

/** Far more than any of them needs. */
const patienceMs = 60_000

/** Commands that tell events; the others answer with a document. */
const telling: ReadonlySet<string | undefined> = new Set(['run', 'resume', 'decide', 'watch'])

/** Starts a command. `onEvent` is called before anything else once the event comes in. */
export function startOpsbook(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  onEvent?: (event: TimedRunEvent, kill: (signal: Signal) => void) => void,
): OpsbookProcess {
  const format = telling.has(words[0]) ? 'ndjson' : 'json'
  const child = spawn(process.execPath, [...opsbookWords, ...words, '--output', format], {
    env: { PATH: process.env['PATH'] ?? '', HOME: env['OPSBOOK_DATA_DIR'] ?? '', ...env },
  })
  const events: TimedRunEvent[] = []
  const waiting = new Set<(event: TimedRunEvent | undefined) => void>()
  let isStuck = false
  let stderr = ''
  const kill = (signal: Signal = 'SIGKILL'): void => void child.kill(signal)
  const patience = setTimeout(() => {
    isStuck = true
    kill()
  }, patienceMs)
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk)
  })
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const event = format === 'ndjson' ? parseLine(line) : undefined
    if (!event) return
    events.push(event)
    onEvent?.(event, kill)
    for (const look of [...waiting]) look(event)
  })
  const closed = new Promise<void>((resolve) => lines.on('close', resolve))
  const awaitEnd = async (): Promise<Ended> => {
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      child.on('close', (...how) => resolve(how))
    })
    const atMs = Date.now()
    await closed
    clearTimeout(patience)
    for (const look of [...waiting]) look(undefined)
    return { words, code, signal, runId: events[0]?.run_id, last: events.at(-1), stderr, isStuck, atMs }
  }
  const ended = awaitEnd()
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  return {
    words,
    kill,
    ended,
    seen(fits) {
      if (events.some(fits)) return Promise.resolve(true)
      if (isOver) return Promise.resolve(false)
      return new Promise((resolve) => {
        const look = (event: TimedRunEvent | undefined): void => {
          if (event && !fits(event)) return
          waiting.delete(look)
          resolve(event !== undefined)
        }
        waiting.add(look)
      })
    },
  }
}

/** When a process is ended, and how. */
export interface Blow {
  /** For people, such as `7 ms after attempt_started of agent`. */
  readonly name: string
  /** The event to wait for; left out: the start of the process. */
  readonly after?: (event: TimedRunEvent) => boolean
  readonly delayMs: number
  readonly signal: Signal
}

/** Runs a command to its end, or to the blow. */
export async function runOpsbook(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  blow: Blow | undefined,
): Promise<Ended> {
  let timer: NodeJS.Timeout | undefined
  let isStruck = false
  const strike = (kill: (signal: Signal) => void): void => {
    if (!blow || isStruck) return
    isStruck = true
    // Nothing else of this process in between.
    if (blow.delayMs === 0) kill(blow.signal)
    else timer = setTimeout(() => kill(blow.signal), blow.delayMs)
  }
  const started = startOpsbook(words, env, (event, kill) => {
    if (blow?.after?.(event)) strike(kill)
  })
  if (blow && !blow.after) strike(started.kill)
  const ended = await started.ended
  clearTimeout(timer)
  return ended
}

/** A line that a killed process could not finish is none. */
function parseLine(line: string): TimedRunEvent | undefined {
  try {
    return JSON.parse(line) as TimedRunEvent
  } catch {
    return undefined
  }
}
