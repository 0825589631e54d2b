import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AskHere,
  checkInputs,
  type JsonObject,
  type Plan,
  type RunHandle,
  type RunReport,
  resumeRun,
  startRun,
  type TimedRunEvent,
} from 'opsbook'
import { createClient } from 'opsbook/api'
import type { CallRequest } from '../../../src/core/host/host.ts'
import { openEventStore } from '../../../src/engine/embedded/index.ts'
import type { EventStore } from '../../../src/engine/index.ts'
import { type ObservedRun, observe, usualStartMs as startMs } from '../../../src/testing/index.ts'
import { callbacks, consoleUrl, hookOf } from '../../conformance/callbacks.ts'
import type { RunCase } from '../../conformance/run-case.ts'
import { milliseconds } from '../../conformance/script.ts'
import { answersTo } from '../../conformance/scripted-people.ts'
import { createEngineClock, type EngineClock } from './engine-clock.ts'
import { createScriptedActions } from './scripted-actions.ts'

/** A case as the engine has executed it. */
export interface EngineRun {
  readonly report: RunReport
  readonly seen: ObservedRun
  /** Requests that went out, by processes before this one as well. */
  readonly sent: readonly CallRequest[]
  readonly tookMs: number
  /** How many attempts and questions have ended. */
  readonly outcomes: number
  /** Contents by name. */
  readonly artifacts: Readonly<Record<string, string>>
}

/** A data directory in which cases run, with its own clock. */
export interface EngineStage {
  /** Runs a case to its end, or until this number of outcomes is known. */
  start(runCase: RunCase, plan: Plan, inputs: JsonObject, stopAfter?: number): Promise<EngineRun>
  /** Resumes it. */
  resume(runCase: RunCase, stopped: EngineRun): Promise<EngineRun>
  close(): void
}

/** Files in memory, where the system has such a place: a commit is one, and waits for no disk. */
const memory = '/dev/shm'

/** No action of the cases asks it anything. */
const client = createClient({ baseUrl: 'http://127.0.0.1:1', appKey: 'unused' })

export function createEngineStage(): EngineStage {
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'opsbook-cases-'))
  let dataDir = folder
  let count = 0
  let clock = createEngineClock(startMs)
  let sent: CallRequest[] = []

  const play = async (
    runCase: RunCase,
    begin: (options: EngineOptions) => Promise<RunHandle>,
    stopAfter = Number.POSITIVE_INFINITY,
  ): Promise<EngineRun> => {
    const events: TimedRunEvent[] = []
    const controlRequests = [runCase.cancel, runCase['cancel-again']].filter(
      (controlRequest) => controlRequest !== undefined,
    )
    let handle: RunHandle | undefined
    let outcomes = 0
    const scripted = createScriptedActions(runCase, clock, ({ path, attempt }) => {
      if (controlRequests.includes(`${path}#${attempt}`)) handle?.cancel()
    })
    const onEvent = (event: TimedRunEvent): void => {
      events.push(event)
      scripted.take(event)
      if (!isOutcome(event)) return
      outcomes++
      if (outcomes === stopAfter) handle?.interrupt()
    }
    const store = openEventStore({ dataDir, now: clock.now })
    const over = new AbortController()
    const work = async (): Promise<RunReport> => {
      void deliver(runCase, clock, store, over.signal, () => handle?.runId ?? '')
      handle = await begin({
        dataDir,
        clock,
        actions: scripted.actions,
        connect: () => client,
        checkInputs,
        publicUrl: callbacks.publicUrl,
        consoleUrl,
        secrets: { resolve: (name) => Promise.resolve(`value of ${name}`) },
        onEvent,
        onQuestion: personOf(runCase, clock),
      })
      for (const controlRequest of controlRequests)
        if (!controlRequest.includes('#'))
          void cancelAt(handle, clock, startMs + milliseconds(controlRequest))
      return handle.result
    }
    const report = await clock.run(work())
    over.abort()
    await store.close()
    sent = [...sent, ...scripted.sent]
    return {
      report,
      seen: observe(events, startMs),
      sent,
      tookMs: clock.now() - startMs,
      outcomes,
      artifacts: readFiles(report.artifacts_dir),
    }
  }
  return {
    start(runCase, plan, inputs, stopAfter) {
      clock = createEngineClock(startMs)
      // Events of another case could have the same ids.
      dataDir = runCase.events ? join(folder, String(++count)) : folder
      sent = []
      return play(runCase, (options) => startRun({ ...options, plan, inputs }), stopAfter)
    },
    resume: (runCase, { report }) =>
      play(runCase, (options) => resumeRun({ ...options, runId: report.run_id })),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

type EngineOptions = Omit<Parameters<typeof resumeRun>[0], 'runId'>

/** Something that the journal keeps, or a step that begins to wait for an event. */
function isOutcome(event: TimedRunEvent): boolean {
  if (event.type === 'waiting') return event.reason === 'event'
  return event.type === 'attempt_succeeded' || event.type === 'attempt_failed' || event.type === 'answered'
}

async function cancelAt(handle: RunHandle, clock: EngineClock, timeMs: number): Promise<void> {
  await clock.waitUntil(timeMs)
  handle.cancel()
}

/** Hands in the events of a case, as `serve` does. A run that is resumed has those from before. */
async function deliver(
  { events = [] }: RunCase,
  clock: EngineClock,
  store: Pick<EventStore, 'evaluation'>,
  over: AbortSignal,
  runId: () => string,
): Promise<void> {
  for (const scripted of events) {
    const { after, id, body } = scripted
    const receivedAtMs = startMs + milliseconds(after)
    await clock.waitUntil(receivedAtMs)
    if (over.aborted) return
    const whole = body === undefined ? 'x'.repeat(300_000) : body
    const event = { hook: hookOf(scripted, runId()), id, type: 'incident', receivedAtMs, body: whole }
    await store.evaluation({ event, candidates: [] })
  }
}

function personOf(runCase: RunCase, clock: EngineClock): AskHere {
  const next = new Map<string, number>()
  return async ({ path }) => {
    const number = next.get(path) ?? 0
    next.set(path, number + 1)
    const said = answersTo(runCase, path)[number]
    if (!said) return undefined
    await clock.waitUntil(clock.now() + said.afterMs)
    return said.given
  }
}

export function readFiles(folder: string): Readonly<Record<string, string>> {
  try {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    const files = names
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
    return Object.fromEntries(
      files.map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]),
    )
  } catch {
    return {}
  }
}
