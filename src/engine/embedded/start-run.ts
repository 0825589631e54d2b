import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Action } from '../../actions/action.ts'
import type { Client } from '../../api/index.ts'
import type { RunEvent, RunStatus, TimedRunEvent } from '../../core/events.ts'
import { argumentProblems } from '../../core/forecast/forecast-plan.ts'
import { interpret, type RunOutcome } from '../../core/interpret.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import { type ErrorData, errorData, RunbookError } from '../../core/run-error.ts'
import { unsupportedFeatures } from '../../core/unsupported.ts'
import { createArtifacts } from './artifacts.ts'
import { openDatabase } from './database.ts'
import { createJournal, type Journal, type StepRecord } from './journal.ts'
import { createRunHost } from './run-host.ts'
import { createRunId } from './run-id.ts'
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
  refuseWhatCannotWork(options)
  const { plan, inputs, actions, client, dataDir } = options
  const database = openDatabase(dataDir)
  const startedAt = new Date()
  const runId = createRunId(startedAt)
  const artifactsDir = join(dataDir, 'runs', runId)
  const journal = beginJournal(database, { id: runId, plan, inputs, now: startedAt.getTime() })
  const records = createStepRecords()
  const interrupt = new AbortController()

  let unwritten: unknown
  /** A step that cannot be recorded must not change what it came to; the run tells of it at its end. */
  const writeStep = (change: NonNullable<ReturnType<typeof records.take>>): void => {
    try {
      journal.writeStep(change.record, change.position)
    } catch (error) {
      unwritten ??= error
    }
  }
  const report = (event: RunEvent): void => {
    const timed: TimedRunEvent = { ...event, run_id: runId, at: new Date().toISOString() }
    const change = records.take(timed)
    tell(options.onEvent, timed)
    if (change) writeStep(change)
  }
  const artifacts = createArtifacts(artifactsDir)
  const host = createRunHost({ actions, client, artifacts, journal, report, interrupt: interrupt.signal })
  const facts = { id: runId, started_at: startedAt.toISOString() }
  const result = interpret(plan, inputs, facts, host)
    .then((outcome): RunReport => {
      const endedAt = new Date()
      return {
        run_id: runId,
        runbook: plan.name,
        ...writeEnd(journal, outcome, endedAt, unwritten),
        started_at: facts.started_at,
        ended_at: endedAt.toISOString(),
        steps: records.list(),
        artifacts_dir: artifactsDir,
      }
    })
    .finally(() => database.close())
  return { runId, result, interrupt: () => interrupt.abort() }
}

function beginJournal(database: DatabaseSyncInstance, run: Parameters<typeof createJournal>[1]): Journal {
  try {
    return createJournal(database, run)
  } catch (error) {
    database.close()
    throw error
  }
}

/** Everything that can be known before the first call; nothing has been made when it throws. */
function refuseWhatCannotWork({ plan, inputs, actions }: RunOptions): void {
  const unsupported = unsupportedFeatures(plan)
  if (unsupported.length > 0) {
    const message = `this version does not carry out yet: ${unsupported.join(', ')}; nothing was sent`
    throw new RunbookError('InvalidInput', message, { notSent: true })
  }
  const problems = argumentProblems({ plan, inputs, actions })
  if (problems.length === 0) return
  const list = problems.map(({ path, message }) => `${path} ${message}`).join('; ')
  const details = { problems: problems.map(({ path, message }) => ({ path, message })) }
  throw new RunbookError('InvalidInput', `${list}; nothing was sent`, { notSent: true, details })
}

/** A journal that cannot be written is a failure of the run, unless the run has worse to tell. */
function writeEnd(journal: Journal, outcome: RunOutcome, endedAt: Date, unwritten: unknown): RunOutcome {
  let ended = outcome
  if (unwritten !== undefined && outcome.status === 'succeeded') {
    ended = { ...outcome, status: 'failed', error: errorData(unwritten) }
  }
  try {
    journal.end(ended, endedAt.getTime())
    return ended
  } catch (error) {
    return ended.status === 'succeeded' ? { ...ended, status: 'failed', error: errorData(error) } : ended
  }
}

/** A listener must not be able to hurt the run. */
function tell(listener: RunOptions['onEvent'], event: TimedRunEvent): void {
  try {
    listener?.(event)
  } catch {
    // The event is lost for this listener only; the journal has it.
  }
}
