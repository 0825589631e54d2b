import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import {
  type Action,
  checkInputs,
  type Decision,
  decideOutcome,
  type JsonObject,
  loadRunbook,
  openRunReader,
  type Plan,
  type ResumeOptions,
  type RunHandle,
  type RunOptions,
  type RunReader,
  type RunReport,
  resumeRun,
  startRun,
  type TimedRunEvent,
} from 'opsbook'
import { onTestFinished } from 'vitest'
import { systemUserNamed } from '../../../support/identity.ts'
import { createNoteActions, type NoteCall } from '../../conformance/note-actions.ts'

type DecideOptions = Parameters<typeof decideOutcome>[0]

/** A data directory of its own, and actions that do what the test says. */
export interface Stage {
  readonly dataDir: string
  /** What resuming and comparing take besides the run. */
  readonly common: Pick<ResumeOptions, 'dataDir' | 'actions' | 'connect' | 'checkInputs' | 'onEvent'>
  /** Every call so far, such as `create made`. */
  readonly calls: string[]
  readonly events: TimedRunEvent[]
  readonly actions: readonly Action[]
  readonly checkInputs: typeof checkInputs
  /** The texts of the runbooks that others run, by their paths. */
  readonly children: Record<string, string>
  /** What the actions do from now on. */
  answer: (call: NoteCall) => JsonObject | Promise<JsonObject>
  plan(steps: string): Plan
  start(steps: string, options?: Partial<RunOptions>): Promise<RunHandle>
  run(steps: string, options?: Partial<RunOptions>): Promise<RunReport>
  reopen(runId: string, options?: Partial<ResumeOptions>): Promise<RunHandle>
  resume(runId: string, options?: Partial<ResumeOptions>): Promise<RunReport>
  /** Decides an unknown outcome, as ada unless somebody else is named. */
  decide(
    runId: string,
    step: string,
    decision: Decision,
    more?: Partial<DecideOptions>,
  ): ReturnType<typeof decideOutcome>
  /** Leaves the only run as a process does that is killed in the middle of its calls: those of a path, or all. */
  loseCalls(path?: string): void
  reader(): RunReader
  execute(sql: string): void
  rows(sql: string): readonly Record<string, unknown>[]
}

/** `more` are actions besides the notes. */
export function createStage(more: readonly Action[] = []): Stage {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-engine-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const calls: string[] = []
  const events: TimedRunEvent[] = []
  const notes = createNoteActions((call) => {
    calls.push(`${call.safety} ${call.name}`)
    return stage.answer(call)
  })
  const actions = [...notes, ...more]
  const common = {
    dataDir,
    actions,
    connect: () => Promise.reject(new Error('nothing here has a connection')),
    checkInputs,
    onEvent: (event: TimedRunEvent) => events.push(event),
  }
  const inDatabase = <T>(work: (database: DatabaseSyncInstance) => T): T => {
    const database = new DatabaseSync(join(dataDir, 'opsbook.db'))
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  const stage: Stage = {
    dataDir,
    common,
    calls,
    events,
    actions,
    checkInputs,
    children: {},
    answer: ({ name }) => ({ name }),
    plan(steps) {
      const text = steps.startsWith('apiVersion')
        ? steps
        : `apiVersion: opsbook/v1\nname: test\ninputs: { type: object, additionalProperties: true }\nsteps:\n${steps}`
      const { plan, diagnostics } = loadRunbook(text, actions, {
        readRunbook: (path) => stage.children[path],
      })
      if (!plan) throw new Error(JSON.stringify(diagnostics, null, 1))
      return plan
    },
    start: (steps, options = {}) =>
      startRun({ plan: options.plan ?? stage.plan(steps), inputs: {}, ...common, ...options }),
    run: async (steps, options) => (await stage.start(steps, options)).result,
    reopen: (runId, options = {}) => resumeRun({ ...common, ...options, runId }),
    resume: async (runId, options) => (await stage.reopen(runId, options)).result,
    decide: (runId, step, decision, more = {}) =>
      decideOutcome({ dataDir, runId, step, decision, by: systemUserNamed('ada'), ...more }),
    loseCalls(path) {
      const where = path === undefined ? '' : ` WHERE path = '${path}'`
      stage.execute(`
        UPDATE attempts SET ended_at = NULL, ended_position = NULL, output = NULL, error = NULL, waited = NULL${where};
        UPDATE steps SET status = 'running', ended_at = NULL, error = NULL${where};
        UPDATE runs SET status = 'running', outputs = NULL, ended_at = NULL, error = NULL, warnings = NULL`)
    },
    reader() {
      const reader = openRunReader(dataDir)
      if (!reader) throw new Error('there is no database')
      onTestFinished(() => reader.close())
      return reader
    },
    execute: (sql) => inDatabase((database) => database.exec(sql)),
    rows: (sql) => inDatabase((database) => database.prepare(sql).all() as Record<string, unknown>[]),
  }
  return stage
}
