import { randomUUID } from 'node:crypto'
import { Context } from '@temporalio/activity'
import { type Action, checkInputs, loadRunbook } from 'opsbook'
import { afterAll, beforeAll, inject } from 'vitest'
import { followRun } from '../../../../src/engine/temporal/client/follow-run.ts'
import { openChanges, resumeRun } from '../../../../src/engine/temporal/client/resume-run.ts'
import { runIdOfKey } from '../../../../src/engine/temporal/client/start-options.ts'
import { openTemporalEngine } from '../../../../src/engine/temporal/client/temporal-engine.ts'
import { startRun } from '../../../../src/engine/temporal/index.ts'
import { systemUserNamed } from '../../../support/identity.ts'
import { createNoteActions } from '../../conformance/note-actions.ts'
import type { ResumeHost } from '../../conformance/play-resume-case.ts'
import { openStage, type Stage } from './open-stage.ts'

/** The cases that are played, by the ids of their runs. */
const played = new Map<string, Pick<ResumeHost, 'calls' | 'answer'>>()

const notes: readonly Action[] = createNoteActions((call) => {
  const { workflowExecution } = Context.current().info
  const one = played.get(workflowExecution?.workflowId ?? '')
  if (!one) throw new Error(`${call.name} is called by a run that no case has started`)
  one.calls.push(`${call.safety} ${call.name}`)
  return one.answer(call)
})

let stage: Stage

/** Opens the stage on which all cases of a test file are played. */
export function openStageForFile(): void {
  beforeAll(async () => {
    // The stage adds those that are built in.
    const own = notes.filter(({ name }) => name.startsWith('note/'))
    stage = await openStage(inject('temporalAddress'), own)
  })
  afterAll(() => stage.close())
}

/** Several runs at a time, in many executions each, take a while on a machine that has other work. */
export const mostMs = 120_000

/** Plays one case on the server. `mostEvents`: the length of an execution. */
export function hostOnServer(mostEvents?: number): ResumeHost {
  const { client, taskQueue, dataDir } = stage
  const common = { client, taskQueue, by: systemUserNamed('somebody') }
  const looked = { ...common, actions: notes, checkInputs }
  const most = mostEvents === undefined ? {} : { mostEvents }
  const engine = openTemporalEngine({ client, taskQueue, dataDir, loadActions: async () => [] })
  const key = randomUUID()
  const one: ResumeHost = {
    calls: [],
    answer: ({ name }) => ({ name }),
    plan(text, children) {
      const { plan, diagnostics } = loadRunbook(text, notes, { readRunbook: (path) => children[path] })
      if (!plan) throw new Error(JSON.stringify(diagnostics, null, 1))
      return plan
    },
    async run(plan, inputs) {
      const run = await startRun({ client, taskQueue, dataDir, plan, inputs, key, ...most })
      return (await run.result).run_id
    },
    compare: (runId, changes) => engine.compareResume(runId, changes, looked),
    async resume(runId, changes) {
      const next = changes
        ? await (await openChanges({ ...looked, runId, changes })).begin()
        : await resumeRun({ ...common, runId })
      const afterSeq = next.continued?.lastSeq ?? 0
      return followRun({ runId, isJoined: false }, { ...common, dataDir, afterSeq }).result
    },
    async contents(runId) {
      const { runId: execution, historyLength } = await client.workflow.getHandle(runId).describe()
      return [execution, historyLength]
    },
  }
  played.set(runIdOfKey(key), one)
  return one
}
