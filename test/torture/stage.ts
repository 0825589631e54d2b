import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TimedRunEvent } from 'opsbook'
import type { Random } from '../fuzz/random.ts'
import type { Stop } from './account.ts'
import { fileProblems, type Journal, readJournal } from './journal.ts'
import { type Ended, type OpsbookProcess, type Signal, startOpsbook } from './opsbook-process.ts'
import type { SandboxProcess, SeenRequest } from './sandbox-process.ts'

/** What a round plays on: one data directory, the sandbox, and what has happened so far. */
export interface Stage {
  readonly sandbox: SandboxProcess
  readonly random: Random
  /** The input of its run, which names what it makes. */
  readonly tag: string
  readonly dataDir: string
  readonly story: string[]
  readonly complaints: string[]
  /** How many processes were ended before their time. */
  struck: number
  /** What was seen when a process had ended before its time. */
  readonly stops: { readonly tag: string; readonly stop: Stop }[]
  start(words: readonly string[]): OpsbookProcess
  /** Starts a command and awaits its end. */
  command(...words: readonly string[]): Promise<Ended>
  /** Ends a process so much later, unless it ends before. */
  strikeLater(process: OpsbookProcess, delayMs: number, signal?: Signal): Promise<void>
  journal(tag?: string): Journal | undefined
  /** Ends what is still there, which is nothing where all went well. */
  endAll(): Promise<void>
  /** Complains where a command ended with another code; one that was struck has none. */
  expectCode(ended: Ended, codes: readonly number[]): void
}

export function createStage(sandbox: SandboxProcess, random: Random, tag: string): Stage {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-torture-'))
  const env = { OPSBOOK_BASE_URL: sandbox.url, OPSBOOK_APP_KEY: 'sandbox-owner', OPSBOOK_DATA_DIR: dataDir }
  const began = Date.now()
  const struck = new Set<OpsbookProcess>()
  const alive = new Set<OpsbookProcess>()
  const stage: Stage = {
    sandbox,
    random,
    tag,
    dataDir,
    story: [],
    complaints: [],
    struck: 0,
    stops: [],
    start(words) {
      const process = startOpsbook(words, env)
      alive.add(process)
      void process.ended.then((ended) => {
        alive.delete(process)
        const how = ended.signal ?? `${ended.code} ${lastLine(ended.stderr)}`
        stage.story.push(`${ended.atMs - began} ms: ${words.join(' ')}: ${how}`)
        const name = words.slice(0, 3).join(' ')
        if (ended.isStuck) stage.complaints.push(`${name} did not end: ${JSON.stringify(ended.last)}`)
        if (/^\s+at /m.test(ended.stderr)) stage.complaints.push(`${name}: a stack trace: ${ended.stderr}`)
        // Nothing is wrong with the disk: whoever says so has mistaken something else for it.
        if (ended.stderr.includes('DataDirUnusable')) stage.complaints.push(`${name}: ${ended.stderr}`)
        if (struck.has(process) && ended.signal !== null) stage.struck++
      })
      return process
    },
    command: (...words) => stage.start(words).ended,
    async strikeLater(process, delayMs, signal = 'SIGKILL') {
      await Promise.race([sleep(delayMs), process.ended])
      stage.story.push(`${Date.now() - began} ms: ${signal} for ${process.words[0]}`)
      struck.add(process)
      process.kill(signal)
    },
    async endAll() {
      const rest = [...alive]
      for (const process of rest) process.kill()
      await Promise.all(rest.map((process) => process.ended))
    },
    journal: (tag) => readJournal(dataDir, tag ?? stage.tag),
    expectCode({ words, code, signal, stderr }, codes) {
      if (signal !== null || (code !== null && codes.includes(code))) return
      stage.complaints.push(
        `${words.slice(0, 3).join(' ')} ended with ${code}, not ${codes.join(' or ')}: ${stderr}`,
      )
    },
  }
  return stage
}

/** What it says for people, without its log. */
function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => !line.startsWith('{'))
  return lines.join(' ').trim()
}

/** Notes how a run was left by a process that has ended. */
export async function noteStop(stage: Stage, tag: string = stage.tag): Promise<void> {
  // First of all: another process may go on.
  const journal = stage.journal(tag)
  const requests = await settledRequests(stage.sandbox)
  stage.complaints.push(...fileProblems(stage.dataDir))
  const stop = { journal, lastRequest: requests.at(-1)?.number ?? 0 }
  stage.stops.push({ tag, stop })
}

/** The requests, once whatever a killed process had handed to the system has come in. */
export async function settledRequests(sandbox: SandboxProcess): Promise<readonly SeenRequest[]> {
  let before = await sandbox.requests()
  for (;;) {
    const now = await sandbox.requests()
    if (now.length === before.length) return now
    before = now
  }
}

/** Resolves as soon as it is true, or after half a minute. */
export async function until(isTrue: () => boolean): Promise<boolean> {
  for (let rest = 1500; rest > 0; rest--) {
    if (isTrue()) return true
    await sleep(20)
  }
  return false
}

/** An event of one kind, at a place where it has one. */
export function on(type: TimedRunEvent['type'], path?: string): (event: TimedRunEvent) => boolean {
  return (event) => event.type === type && (path === undefined || ('path' in event && event.path === path))
}

/** Whether a thing of that likelihood happens. */
export function chance(random: Random, likelihood: number): boolean {
  return random.next() < likelihood
}

/** Nothing is left behind but what somebody has to look at. */
export function clearStage({ dataDir, complaints, story }: Stage): void {
  if (complaints.length === 0) rmSync(dataDir, { recursive: true })
  else story.push(`kept in ${dataDir}`)
}
