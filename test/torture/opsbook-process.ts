import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TimedRunEvent } from 'opsbook'

/** The build: what people run. */
export const opsbookWords: readonly string[] = [
  fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url)),
]

/** When a process is ended, and how. */
export interface Blow {
  /** For people, such as `7 ms after attempt_started of agent`. */
  readonly name: string
  /** The event to wait for; left out: the start of the process. */
  readonly after?: (event: TimedRunEvent) => boolean
  readonly delayMs: number
  readonly signal: 'SIGKILL' | 'SIGINT'
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly runId: string | undefined
  /** The last event, which of a run that has ended is `run_finished`. */
  readonly last: TimedRunEvent | undefined
  readonly stderr: string
  /** It did not end by itself in the time that it was given. */
  readonly isStuck: boolean
}

/** Far more than any of them needs. */
const patienceMs = 60_000

/** Runs a command with `--output ndjson` to its end, or to the blow. */
export async function runOpsbook(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  blow: Blow | undefined,
): Promise<Ended> {
  const child = spawn(process.execPath, [...opsbookWords, ...words, '--output', 'ndjson'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: env['OPSBOOK_DATA_DIR'] ?? '', ...env },
  })
  const timers: NodeJS.Timeout[] = []
  let isStruck = false
  let isStuck = false
  let last: TimedRunEvent | undefined
  let runId: string | undefined
  let stderr = ''
  const strike = (): void => {
    if (!blow || isStruck) return
    isStruck = true
    const hit = (): boolean => child.kill(blow.signal)
    // Not even a turn of this process in between.
    if (blow.delayMs === 0) hit()
    else timers.push(setTimeout(hit, blow.delayMs))
  }
  if (blow && !blow.after) strike()
  timers.push(
    setTimeout(() => {
      isStuck = true
      child.kill('SIGKILL')
    }, patienceMs),
  )
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk)
  })
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const event = parseLine(line)
    if (!event) return
    last = event
    runId ??= event.run_id
    if (blow?.after?.(event)) strike()
  })
  const closed = new Promise<void>((resolve) => lines.on('close', resolve))
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on('close', (...how) => resolve(how))
  })
  await closed
  for (const timer of timers) clearTimeout(timer)
  return { code, signal, runId, last, stderr, isStuck }
}

/** A line that a killed process could not finish is none. */
function parseLine(line: string): TimedRunEvent | undefined {
  try {
    return JSON.parse(line) as TimedRunEvent
  } catch {
    return undefined
  }
}
