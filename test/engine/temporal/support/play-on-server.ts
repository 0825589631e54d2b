import { randomUUID } from 'node:crypto'
import { Context } from '@temporalio/activity'
import type { Action, JsonObject, Plan, RunReport, TimedRunEvent } from 'opsbook'
import type { CallRequest } from '../../../../src/core/host/host.ts'
import type { ControlRequest } from '../../../../src/core/record/run-history.ts'
import { systemClock } from '../../../../src/engine/attempt/clock.ts'
import { runIdOfKey } from '../../../../src/engine/temporal/client/start-options.ts'
import { openTemporalEngine } from '../../../../src/engine/temporal/client/temporal-engine.ts'
import { startRun } from '../../../../src/engine/temporal/index.ts'
import { eventsSignal, type SentEvent } from '../../../../src/engine/temporal/received-events/listening.ts'
import { type ObservedRun, observe } from '../../../../src/testing/index.ts'
import { hookOf } from '../../../conformance/callbacks.ts'
import type { RunCase } from '../../../conformance/run-case.ts'
import { answersTo } from '../../../conformance/scripted-people.ts'
import { testActions } from '../../../conformance/test-actions.ts'
import { systemUserNamed } from '../../../support/identity.ts'
import { readFiles } from '../../conformance/play-on-engine.ts'
import { createScriptedActions, type ScriptedActions } from '../../conformance/scripted-actions.ts'
import { openStage } from './open-stage.ts'

/** The result of a case on a real server with a real worker. */
export interface ServerRun {
  readonly report: RunReport
  readonly events: readonly TimedRunEvent[]
  readonly seen: ObservedRun
  /** Requests that went out. */
  readonly sent: readonly CallRequest[]
  /** Contents by name. */
  readonly artifacts: Readonly<Record<string, string>>
}

/** The control requests to a run, in order, by the attempt (`a#1`) or the waiting step (`ask`) at which they are sent. */
export type Cues = Readonly<Record<string, readonly ControlRequest['kind'][]>>

/** One worker on the server of all tests, for as many cases at a time as one likes. */
export interface ServerStage {
  /** Answers questions when they are asked. */
  play(runCase: RunCase, plan: Plan, inputs: JsonObject, cues?: Cues): Promise<ServerRun>
  close(): Promise<void>
}

export async function openServerStage(address: string): Promise<ServerStage> {
  /** The actions of the open runs, by their ids. */
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
        if (!scripted || !one) throw new Error(`${action.name} is called by a run that no case has started`)
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
    // An attempt at which a request is sent ends when the run has received it, not before.
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
    const answered = new Map<string, number>()
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
        const number = answered.get(path) ?? 0
        answered.set(path, number + 1)
        return answersTo(runCase, path)[number]?.given
      },
    })
    // As the event store sends them, and immediately.
    for (const scriptedEvent of runCase.events ?? []) {
      const { id, body } = scriptedEvent
      const hook = hookOf(scriptedEvent, runId)
      const event: SentEvent = { hook, id, receivedAtMs: Date.now(), ...(body === undefined ? {} : { body }) }
      await client.workflow.getHandle(runId).signal(eventsSignal, [event])
    }
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
