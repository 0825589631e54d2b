import { randomUUID } from 'node:crypto'
import { Context } from '@temporalio/activity'
import type { Action, JsonObject, Plan, RunReport, TimedRunEvent } from 'opsbook'
import type { CallRequest } from '../../../../src/core/host.ts'
import type { ControlRequest } from '../../../../src/core/record/control-request.ts'
import { systemClock } from '../../../../src/engine/attempt/clock.ts'
import { runIdOfKey } from '../../../../src/engine/temporal/client/run-ids.ts'
import { openTemporalEngine } from '../../../../src/engine/temporal/client/temporal-engine.ts'
import { startRun } from '../../../../src/engine/temporal/index.ts'
import { type ObservedRun, observe } from '../../../conformance/observe.ts'
import type { RunCase } from '../../../conformance/run-case.ts'
import { testActions } from '../../../conformance/test-actions.ts'
import { systemUserNamed } from '../../../support/identity.ts'
import { readFiles } from '../../conformance/play-on-engine.ts'
import { createScriptedActions, type ScriptedActions } from '../../conformance/scripted-actions.ts'
import { openStage } from './open-stage.ts'

/** A case as a real server and a real worker have carried it out. */
export interface ServerRun {
  readonly report: RunReport
  readonly events: readonly TimedRunEvent[]
  readonly seen: ObservedRun
  /** Requests that went out. */
  readonly sent: readonly CallRequest[]
  /** Contents by name. */
  readonly artifacts: Readonly<Record<string, string>>
}

/** What people want of a run, one after the other: by the attempt (`a#1`), or the step that waits (`ask`), at which they want it. */
export type Cues = Readonly<Record<string, readonly ControlRequest['kind'][]>>

/** One worker on the server of all tests, for as many cases at a time as one likes. */
export interface ServerStage {
  /** People answer as soon as they are asked. */
  play(runCase: RunCase, plan: Plan, inputs: JsonObject, cues?: Cues): Promise<ServerRun>
  close(): Promise<void>
}

export async function openServerStage(address: string): Promise<ServerStage> {
  /** The actions of the runs that go on, by the ids of these. */
  const runs = new Map<string, ScriptedActions>()
  const stage = await openStage(address, testActions.filter(({ isLocal }) => !isLocal).map(dispatched))
  const { client, taskQueue, dataDir } = stage
  const engine = openTemporalEngine({ client, taskQueue, dataDir, loadActions: async () => testActions })

  /** The action of whichever run asks for it. */
  function dispatched(action: (typeof testActions)[number]): Action {
    return {
      ...action,
      async run(input, context) {
        const { activityId, workflowExecution } = Context.current().info
        const scripted = runs.get(workflowExecution?.workflowId ?? '')
        const one = scripted?.actions.find(({ name }) => name === action.name)
        if (!scripted || !one) throw new Error(`${action.name} is called by a run that nobody plays`)
        return scripted.during(callOf(activityId), () => one.run(input, context))
      },
    }
  }

  const play: ServerStage['play'] = async (runCase, plan, inputs, cues = {}) => {
    const key = randomUUID()
    const runId = runIdOfKey(key)
    const said = new Map<string, Promise<unknown>>()
    const sayAt = (place: string): Promise<unknown> => {
      const words = said.get(place) ?? sayAll(cues[place] ?? [])
      said.set(place, words)
      return words
    }
    const sayAll = async (control_requests: readonly ControlRequest['kind'][]): Promise<void> => {
      for (const kind of control_requests)
        await engine.requestControl(runId, { kind, by: systemUserNamed('somebody') })
    }
    let sending: Promise<unknown> = Promise.resolve()
    // An attempt at which somebody says something ends when it has been heard, not before.
    const clock = {
      now: systemClock.now,
      waitUntil: async (timeMs: number, ...stops: Parameters<typeof systemClock.waitUntil>[1][]) => {
        await sending
        await systemClock.waitUntil(timeMs, ...stops.filter((stop) => stop !== undefined))
      },
    }
    const scripted = createScriptedActions(runCase, clock, ({ path, attempt }) => {
      sending = sayAt(`${path}#${attempt}`)
    })
    runs.set(runId, scripted)
    const events: TimedRunEvent[] = []
    const run = await startRun({
      client,
      taskQueue,
      dataDir,
      plan,
      inputs,
      key,
      onEvent(event) {
        events.push(event)
        if (event.type === 'waiting' && event.reason === 'pause') void sayAt(event.path)
      },
      async onQuestion({ path }) {
        await sayAt(path)
        const person = runCase.people?.[path]
        if (!person) return undefined
        const { approves, by = 'somebody', comment } = person
        return { approved: approves, by: systemUserNamed(by), ...(comment === undefined ? {} : { comment }) }
      },
    })
    const report = await run.result
    runs.delete(runId)
    const seen = observe(events, Date.parse(report.started_at))
    return { report, events, seen, sent: scripted.sent, artifacts: readFiles(report.artifacts_dir) }
  }
  return { play, close: stage.close }
}

function callOf(activityId: string): Pick<CallRequest, 'path' | 'attempt'> {
  const [, path = '', attempt = ''] = /^(.*)#(\d+)$/s.exec(activityId) ?? []
  return { path, attempt: Number(attempt) }
}
