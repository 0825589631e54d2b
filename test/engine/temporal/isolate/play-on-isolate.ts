import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApplicationFailure } from '@temporalio/common'
import { checkInputs, type JsonObject, type Plan } from 'opsbook'
import { createClient } from 'opsbook/api'
import { createCancellation } from '../../../../src/core/host/cancellation.ts'
import type { CallRequest } from '../../../../src/core/host/host.ts'
import type { RunOutcome } from '../../../../src/core/interpret.ts'
import type { RecordedEvent } from '../../../../src/core/record/run-record.ts'
import { artifactsFolder } from '../../../../src/engine/attempt/artifact-files.ts'
import { systemIdentity } from '../../../../src/engine/record/index.ts'
import {
  type AnswerOrder,
  type AttemptOrder,
  answerUpdate,
  controlUpdate,
  type EventsAnswer,
  eventsQuery,
  type KeptPage,
  keepLogActivity,
  outcomeMemo,
  type RunStart,
} from '../../../../src/engine/temporal/messages.ts'
import { eventsSignal, type SentEvent } from '../../../../src/engine/temporal/received-events/listening.ts'
import { runTypeOf } from '../../../../src/engine/temporal/run-listing.ts'
import {
  createActivities,
  createLocalActivities,
} from '../../../../src/engine/temporal/worker/create-activities.ts'
import { type ObservedRun, observe, usualStartMs as startMs } from '../../../../src/testing/index.ts'
import { callbacks, consoleUrl, hookOf } from '../../../conformance/callbacks.ts'
import type { RunCase } from '../../../conformance/run-case.ts'
import { milliseconds } from '../../../conformance/script.ts'
import { answersTo } from '../../../conformance/scripted-people.ts'
import { createEngineClock, type EngineClock } from '../../conformance/engine-clock.ts'
import { readFiles } from '../../conformance/play-on-engine.ts'
import { createScriptedActions } from '../../conformance/scripted-actions.ts'
import type { Isolate } from './create-isolate.ts'
import { decode } from './payloads.ts'
import {
  type PlayedWorkflow,
  playWorkflow,
  WorkflowCancelled,
  type WorkflowExecution,
} from './play-workflow.ts'
import { createLocalCompletion, runActivity, type ScheduledActivity } from './run-activity.ts'

/** The result of a case, played by the workflows and activities of the engine. */
export interface IsolateRun {
  readonly outcome: RunOutcome
  readonly seen: ObservedRun
  /** Requests that went out. */
  readonly sent: readonly CallRequest[]
  readonly tookMs: number
  /** Contents by name. */
  readonly artifacts: Readonly<Record<string, string>>
  readonly executions: readonly WorkflowExecution[]
  /** Its log, as its executions return it. */
  readonly events: readonly RecordedEvent[]
  /** The logs that the executions have written into their histories. */
  readonly kept: readonly KeptPage[]
}

/** Plays cases with workflows and activities, on a virtual clock and without a server. */
export interface IsolateStage {
  /** `mostEvents`: the run continues as a new execution at this number of events. */
  play(runCase: RunCase, plan: Plan, inputs: JsonObject, mostEvents?: number): Promise<IsolateRun>
  close(): void
}

/** Files in memory, where the system has such a place. */
const memory = '/dev/shm'

/** No action of the cases asks it anything. */
const client = createClient({ baseUrl: 'http://127.0.0.1:1', appKey: 'unused' })

export function createIsolateStage(isolate: Isolate): IsolateStage {
  const dataDir = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'opsbook-cases-'))
  let count = 0

  const play: IsolateStage['play'] = async (runCase, plan, inputs, mostEvents) => {
    const clock = createEngineClock(startMs)
    const runId = `run_${++count}`
    const cancel = (): void => {
      const controlRequest = { kind: 'cancel', by: systemIdentity() }
      void workflow?.update(controlUpdate, controlRequest)
      workflow?.cancel()
    }
    const controlRequests = [runCase.cancel, runCase['cancel-again']].filter(
      (controlRequest) => controlRequest !== undefined,
    )
    const scripted = createScriptedActions(runCase, clock, ({ path, attempt }) => {
      if (controlRequests.includes(`${path}#${attempt}`)) cancel()
    })
    const completion = createLocalCompletion()
    const activities = createActivities({
      actions: scripted.actions,
      connect: () => client,
      secrets: { resolve: (name) => Promise.resolve(`value of ${name}`) },
      dataDir,
      client: { activity: completion } as never,
      interrupt: createCancellation(),
      clock,
    })
    const local = createLocalActivities({
      checkInputs: (child, given) => checkInputs(child as Plan, given),
      callbacks,
      consoleUrl,
    })
    const kept: KeptPage[] = []
    let workflow: PlayedWorkflow | undefined
    const people = peopleOf(runCase, clock, () => workflow)
    const start: RunStart = {
      plan,
      inputs,
      runId,
      startedAtMs: startMs,
      startedBy: systemIdentity(),
      actionQueue: 'actions',
      ...(mostEvents === undefined ? {} : { mostEvents }),
    }
    const work = async (): Promise<RunOutcome> => {
      workflow = await playWorkflow({
        isolate,
        clock,
        workflowType: runTypeOf(plan.name),
        workflowId: runId,
        input: start,
        onTask: people.look,
        runActivity: (activity, life) =>
          scripted.during(callOf(activity), () => runActivity(activity, activities, completion, life)),
        async runLocalActivity(activity, life) {
          const ended = await runActivity(activity, local, completion, life)
          if (activity.activityType === keepLogActivity) kept.push(decode<KeptPage>(ended.completed?.result))
          return ended
        },
      })
      void deliver(runCase, clock, workflow, runId)
      for (const controlRequest of controlRequests) {
        if (!controlRequest.includes('#'))
          void clock.waitUntil(startMs + milliseconds(controlRequest)).then(cancel)
      }
      return outcomeOf(workflow)
    }
    const outcome = await clock.run(work())
    if (!workflow) throw new Error('the workflow did not begin')
    const events = await createEventReader()(workflow)
    await workflow.dispose()
    return {
      outcome,
      seen: observe(
        events.map(({ event }) => event),
        startMs,
      ),
      sent: scripted.sent,
      tookMs: clock.now() - startMs,
      artifacts: readFiles(artifactsFolder(dataDir, runId)),
      executions: workflow.executions,
      events,
      kept,
    }
  }
  return { play, close: () => rmSync(dataDir, { recursive: true, force: true }) }
}

/** Sends the events of a case, as the event store does. */
async function deliver(
  { events = [] }: RunCase,
  clock: EngineClock,
  workflow: PlayedWorkflow,
  runId: string,
): Promise<void> {
  for (const scripted of events) {
    const { after, id, body } = scripted
    const hook = hookOf(scripted, runId)
    const receivedAtMs = startMs + milliseconds(after)
    await clock.waitUntil(receivedAtMs)
    const event: SentEvent = { hook, id, receivedAtMs, ...(body === undefined ? {} : { body }) }
    await workflow.signal(eventsSignal, [event])
  }
}

function callOf({ arguments: payloads }: ScheduledActivity): Pick<CallRequest, 'path' | 'attempt'> {
  return decode<AttemptOrder>(payloads?.[0]).request
}

async function outcomeOf(workflow: PlayedWorkflow): Promise<RunOutcome> {
  try {
    return (await workflow.result) as RunOutcome
  } catch (thrown) {
    if (thrown instanceof WorkflowCancelled) return workflow.memo(outcomeMemo) as RunOutcome
    if (thrown instanceof ApplicationFailure) return thrown.details?.[0] as RunOutcome
    throw thrown
  }
}

/** Reads the events of a run that are new, execution by execution. */
function createEventReader(): (workflow: PlayedWorkflow) => Promise<readonly RecordedEvent[]> {
  let last = 0
  /** The execution that is read now; earlier ones have ended. */
  let first = 0
  return async (workflow) => {
    const all: RecordedEvent[] = []
    for (const { runId } of workflow.executions.slice(first)) {
      let page: EventsAnswer
      do {
        page = await workflow.query(runId, eventsQuery, last)
        all.push(...page.events)
        last = page.events.at(-1)?.seq ?? last
      } while (page.isMore)
    }
    first = workflow.executions.length - 1
    return all
  }
}

/** The people of a case look at the run after each task, and answer what they are asked. */
function peopleOf(
  { people = {} }: RunCase,
  clock: EngineClock,
  workflow: () => PlayedWorkflow | undefined,
): { look(): void } {
  const asked = new Set<string>()
  const readNew = createEventReader()
  let line: Promise<unknown> = Promise.resolve()
  const look = async (): Promise<void> => {
    const run = workflow()
    for (const { event } of run ? await readNew(run) : []) {
      if (
        event.type === 'waiting' &&
        (event.reason === 'approval' || event.reason === 'answer') &&
        !asked.has(event.path)
      ) {
        asked.add(event.path)
        void answer(event.path)
      }
    }
  }
  const answer = async (path: string): Promise<void> => {
    for (const { given, afterMs } of answersTo({ people }, path)) {
      await clock.waitUntil(clock.now() + afterMs)
      const order: AnswerOrder = { step: path, ...given }
      await workflow()
        ?.update(answerUpdate, order)
        .catch(() => {})
    }
  }
  const isAnybodyThere = Object.keys(people).length > 0
  return {
    look() {
      if (isAnybodyThere) line = line.then(look)
    },
  }
}
