import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Action } from '../../actions/action.ts'
import type { Client } from '../../api/index.ts'
import type { RunEvent, RunStatus, TimedRunEvent } from '../../core/events.ts'
import { argumentProblems } from '../../core/forecast/forecast-plan.ts'
import { interpret } from '../../core/interpret.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import { type ErrorData, RunbookError } from '../../core/run-error.ts'
import { unsupportedFeatures } from '../../core/unsupported.ts'
import { createArtifacts } from './artifacts.ts'
import { openDatabase } from './database.ts'
import { createJournal, type StepRecord } from './journal.ts'
import { createRunHost } from './run-host.ts'
import { createStepRecords } from './step-records.ts'

/** What a run is started with. */
export interface RunOptions {
  readonly plan: Plan
  /** Checked against the plan's schema, defaults filled in. */
  readonly inputs: JsonObject
  readonly actions: readonly Action[]
  readonly client: Client
  /** Holds the database and the artifacts of all runs; made where it is missing. */
  readonly dataDir: string
  /** Told of everything as it happens. What it throws is ignored. */
  readonly onEvent?: (event: TimedRunEvent) => void
}

/** A run on its way. */
export interface RunHandle {
  readonly runId: string
  /** Never rejects: every failure is a report. */
  readonly result: Promise<RunReport>
  /** Stops at the next safe point: a write in flight is awaited, a read is given up. */
  interrupt(): void
}

/** How a run ended, as one document. */
export interface RunReport {
  readonly run_id: string
  readonly runbook: string
  readonly status: RunStatus
  readonly outputs?: JsonObject
  readonly error?: ErrorData
  /** RFC 3339. */
  readonly started_at: string
  /** RFC 3339. */
  readonly ended_at: string
  readonly steps: readonly StepRecord[]
  /** The folder with the files that steps made. */
  readonly artifacts_dir: string
}

/**
 * Starts a run in this process, journaled in the data directory. Rejects before anything is sent: with
 * `InvalidInput` for arguments that can be known to be wrong, with `DataDirUnusable` for the directory.
 */
export async function startRun(options: RunOptions): Promise<RunHandle> {
  const { plan, inputs, actions, client, dataDir } = options
  const unsupported = unsupportedFeatures(plan)
  if (unsupported.length > 0) {
    const message = `this version does not carry out yet: ${unsupported.join(', ')}; nothing was sent`
    throw new RunbookError('InvalidInput', message, { notSent: true })
  }
  const problems = argumentProblems({ plan, inputs, actions })
  if (problems.length > 0) {
    const list = problems.map(({ path, message }) => `${path} ${message}`).join('; ')
    const details = { problems: problems.map(({ path, message }) => ({ path, message })) }
    throw new RunbookError('InvalidInput', `${list}; nothing was sent`, { notSent: true, details })
  }
  const database = openDatabase(dataDir)
  const startedAt = new Date()
  const runId = createRunId(startedAt)
  const artifactsDir = join(dataDir, 'runs', runId)
  const journal = createJournal(database, { id: runId, plan, inputs, now: startedAt.getTime() })
  const records = createStepRecords()
  const interrupt = new AbortController()

  const report = (event: RunEvent): void => {
    const timed: TimedRunEvent = { ...event, run_id: runId, at: new Date().toISOString() }
    const change = records.take(timed)
    if (change) journal.writeStep(change.record, change.position)
    tell(options.onEvent, timed)
  }
  const host = createRunHost({
    actions,
    client,
    artifacts: createArtifacts(artifactsDir),
    journal,
    report,
    interrupt: interrupt.signal,
  })
  const run = async (): Promise<RunReport> => {
    try {
      const outcome = await interpret(plan, inputs, { id: runId, started_at: startedAt.toISOString() }, host)
      const endedAt = new Date()
      journal.end(outcome, endedAt.getTime())
      return {
        run_id: runId,
        runbook: plan.name,
        ...outcome,
        started_at: startedAt.toISOString(),
        ended_at: endedAt.toISOString(),
        steps: records.list(),
        artifacts_dir: artifactsDir,
      }
    } finally {
      database.close()
    }
  }
  return { runId, result: run(), interrupt: () => interrupt.abort() }
}

/** Such as `run_20261120_231503_k3x9qd`: sorts by time, and can be typed. */
function createRunId(at: Date): string {
  const [date = '', time = ''] = at
    .toISOString()
    .replaceAll(/[-:]|\..*/g, '')
    .split('T')
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  const tail = Array.from(randomBytes(6), (byte) => alphabet[byte % alphabet.length]).join('')
  return `run_${date}_${time}_${tail}`
}

/** A listener must not be able to hurt the run. */
function tell(listener: RunOptions['onEvent'], event: TimedRunEvent): void {
  try {
    listener?.(event)
  } catch {
    // The event is lost for this listener only; the journal has it.
  }
}
