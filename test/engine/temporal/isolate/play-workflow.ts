import { setImmediate as afterOthers } from 'node:timers/promises'
import { type CancellationSource, createCancellation } from '../../../../src/core/host/cancellation.ts'
import { cancelRunActivity } from '../../../../src/engine/temporal/messages.ts'
import type { EngineClock } from '../../conformance/engine-clock.ts'
import type { Command, Isolate, IsolatedWorkflow, Job, Told } from './create-isolate.ts'
import { decode, decodeFailure, encode } from './payloads.ts'
import type { ActivityLife, Resolution, ScheduledActivity } from './run-activity.ts'

/** One task of a workflow: its activation, and the commands of the workflow. */
export interface WorkflowTask {
  readonly told: Told
  readonly commands: readonly Command[]
}

/** One execution of a workflow, from its start to its end. */
export interface WorkflowExecution {
  readonly runId: string
  readonly tasks: readonly WorkflowTask[]
}

/** What playing a workflow needs. */
export interface PlayOptions {
  readonly isolate: Isolate
  readonly clock: EngineClock
  readonly workflowType: string
  readonly workflowId: string
  readonly input: unknown
  /** Runs an activity until it ends. */
  runActivity(activity: ScheduledActivity, life: ActivityLife): Promise<Resolution>
  /** Runs a local activity, within the task of its workflow. */
  runLocalActivity(activity: ScheduledActivity, life: ActivityLife): Promise<Resolution>
  /** Called after each task. */
  readonly onTask?: () => void
}

/** A running workflow, as its clients see it. */
export interface PlayedWorkflow {
  /** Its result. Rejects with its failure. */
  readonly result: Promise<unknown>
  readonly executions: readonly WorkflowExecution[]
  update(name: string, input: unknown): Promise<unknown>
  signal(name: string, input: unknown): Promise<void>
  /** Queries one of its executions, by default the last. */
  query<T>(runId: string | undefined, name: string, ...input: readonly unknown[]): Promise<T>
  cancel(): void
  /** An entry of its memo. */
  memo(name: string): unknown
  dispose(): Promise<void>
}

interface Settler {
  readonly promise: Promise<unknown>
  resolve(value: unknown): void
  reject(thrown: unknown): void
}

/** Plays the server of one workflow: runs its commands, on a virtual clock. */
export async function playWorkflow(options: PlayOptions): Promise<PlayedWorkflow> {
  const { isolate, clock, workflowType, workflowId } = options
  const ended = createSettler()
  const updates = new Map<string, Settler>()
  const timers = new Map<number, CancellationSource>()
  const activities = new Map<number, AbortController>()
  const executions: (WorkflowExecution & { readonly tasks: WorkflowTask[] })[] = []
  let historyLength = 0
  const memo = new Map<string, unknown>()
  const workflows: IsolatedWorkflow[] = []
  let waiting: Job[] = []
  let isOver = false
  /** The workflow receives one activation after the other. */
  let line: Promise<unknown> = Promise.resolve()

  const inLine = <T>(work: () => Promise<T>): Promise<T> => {
    const done = line.then(work)
    line = done.catch(() => {})
    return done
  }
  const start = async (payloads: Job['initializeWorkflow']): Promise<void> => {
    const workflow = await isolate.create(workflowType, workflowId, clock.now())
    workflows.push(workflow)
    executions.push({ runId: workflow.runId, tasks: [] })
    historyLength = 0
    deliver({ initializeWorkflow: { workflowType, workflowId, ...payloads } })
  }
  const deliver = (job: Job): void => {
    waiting.push(job)
    if (waiting.length === 1) void inLine(tellWhatWaits).catch(ended.reject)
  }
  const tellWhatWaits = async (): Promise<void> => {
    // The other events of this time are in the same activation.
    await afterOthers()
    const jobs = inOrder(waiting)
    waiting = []
    if (isOver) return
    historyLength += eventsOf(jobs)
    const told: Told = { jobs, timeMs: clock.now(), historyLength }
    const commands = (await workflows.at(-1)?.tell(told)) ?? []
    historyLength += commands.length
    executions.at(-1)?.tasks.push({ told, commands })
    for (const command of commands) await obey(command)
    options.onTask?.()
  }
  const startTimer = async (seq: number, delayMs: number): Promise<void> => {
    const timer = createCancellation()
    timers.set(seq, timer)
    // A timer of 1 ms only gives a workflow another task. It takes no time of a case.
    await clock.waitUntil(clock.now() + (delayMs === 1 ? 0 : delayMs), timer)
    if (timers.delete(seq)) deliver({ fireTimer: { seq } })
  }
  const cancelTimer = (seq: number): void => {
    const timer = timers.get(seq)
    timers.delete(seq)
    timer?.cancel({ code: 'Cancelled', message: 'the timer' })
    waiting = waiting.filter(({ fireTimer }) => fireTimer?.seq !== seq)
  }
  const startActivity = async (seq: number, activity: ScheduledActivity, isLocal = false): Promise<void> => {
    const controller = new AbortController()
    activities.set(seq, controller)
    const run = isLocal ? options.runLocalActivity : options.runActivity
    const isToCancel = activity.activityType === cancelRunActivity
    if (isToCancel) deliver({ cancelWorkflow: { reason: '' } })
    const result = isToCancel
      ? { completed: {} }
      : await run(activity, { cancellationSignal: controller.signal, signal })
    if (activities.delete(seq)) deliver({ resolveActivity: { seq, result, isLocal } })
  }
  const signal = async (signalName: string, input: unknown): Promise<void> => {
    if (!isOver) deliver({ signalWorkflow: { signalName, input: [encode(input)] } })
  }
  const obey = async (command: Command): Promise<void> => {
    const { startTimer: timer, scheduleActivity: activity, updateResponse } = command
    if (timer) void startTimer(Number(timer.seq), toMilliseconds(timer.startToFireTimeout))
    else if (command.cancelTimer) cancelTimer(Number(command.cancelTimer.seq))
    else if (activity) startActivity(Number(activity.seq), activity).catch(ended.reject)
    else if (command.scheduleLocalActivity) {
      const { seq, ...local } = command.scheduleLocalActivity
      startActivity(Number(seq), local, true).catch(ended.reject)
    } else if (command.requestCancelActivity)
      activities.get(Number(command.requestCancelActivity.seq))?.abort()
    else if (command.startChildWorkflowExecution) {
      const { workflowId: child, workflowType: type, ...started } = command.startChildWorkflowExecution
      const seq = Number(started.seq)
      deliver({ resolveChildWorkflowExecutionStart: { seq, succeeded: { runId: child ?? null } } })
    } else if (updateResponse) answerUpdate(updateResponse, updates)
    else if (command.modifyWorkflowProperties) {
      const { fields } = command.modifyWorkflowProperties.upsertedMemo ?? {}
      for (const [name, payload] of Object.entries(fields ?? {})) memo.set(name, decode(payload))
    } else if (command.continueAsNewWorkflowExecution) {
      const { arguments: payloads } = command.continueAsNewWorkflowExecution
      await start({ arguments: payloads ?? [] })
    } else await endWith(command)
  }
  const endWith = async (command: Command): Promise<void> => {
    const { completeWorkflowExecution: completed, failWorkflowExecution: failed } = command
    if (completed) ended.resolve(decode(completed.result))
    else if (failed) ended.reject(decodeFailure(failed.failure))
    else if (command.cancelWorkflowExecution) ended.reject(new WorkflowCancelled())
    else return
    isOver = true
    for (const seq of [...timers.keys()]) cancelTimer(seq)
  }

  await start({ arguments: [encode(options.input)] })
  let count = 0
  return {
    result: ended.promise,
    executions,
    update(name, input) {
      const id = `update-${++count}`
      const settler = createSettler()
      updates.set(id, settler)
      if (isOver) settler.reject(new Error('the workflow has ended'))
      else
        deliver({
          doUpdate: { id, protocolInstanceId: id, name, input: [encode(input)], runValidator: true },
        })
      return settler.promise
    },
    signal,
    query: (runId, name, ...input) =>
      inLine(() => {
        const workflow = runId === undefined ? workflows.at(-1) : workflows.find((one) => one.runId === runId)
        if (!workflow) throw new Error(`there is no execution ${runId}`)
        return ask(workflow, name, input, clock.now())
      }),
    cancel: () => deliver({ cancelWorkflow: { reason: '' } }),
    memo: (name) => memo.get(name),
    async dispose() {
      for (const workflow of workflows) await workflow.dispose()
    },
  }
}

/** The workflow has ended as cancelled: besides its memo this is all that a server keeps of it. */
export class WorkflowCancelled extends Error {}

/** A task is scheduled, is started and has ended; an activity is started and has ended. */
function eventsOf(jobs: readonly Job[]): number {
  return 3 + jobs.length + jobs.filter(({ resolveActivity }) => resolveActivity).length
}

async function ask<T>(
  workflow: IsolatedWorkflow,
  queryType: string,
  input: readonly unknown[],
  timeMs: number,
): Promise<T> {
  const query = { queryId: 'query', queryType, arguments: input.map(encode) }
  // The SDK reads the kind of an attribute from the field beside it.
  const job = { queryWorkflow: query, variant: 'queryWorkflow' as const }
  const [command] = await workflow.tell({ jobs: [job], timeMs, historyLength: 0 })
  const { succeeded, failed } = command?.respondToQuery ?? {}
  if (failed) throw decodeFailure(failed)
  return decode(succeeded?.response)
}

function answerUpdate(
  { protocolInstanceId, completed, rejected }: NonNullable<Command['updateResponse']>,
  updates: Map<string, Settler>,
): void {
  const settler = updates.get(String(protocolInstanceId))
  if (completed) settler?.resolve(decode(completed))
  if (rejected) settler?.reject(decodeFailure(rejected))
}

/** As a server has them put: signals and updates come before what has happened. */
function inOrder(jobs: readonly Job[]): readonly Job[] {
  const rank = (job: Job): number => (job.initializeWorkflow ? 0 : job.doUpdate || job.signalWorkflow ? 1 : 2)
  return [...jobs].sort((one, other) => rank(one) - rank(other))
}

function toMilliseconds(length: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(length?.seconds ?? 0) * 1000 + Number(length?.nanos ?? 0) / 1e6
}

function createSettler(): Settler {
  let settle: Pick<Settler, 'resolve' | 'reject'> | undefined
  const promise = new Promise<unknown>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // A caller that awaits the promise gets the rejection; without one it is ignored.
  promise.catch(() => {})
  return { promise, resolve: (value) => settle?.resolve(value), reject: (thrown) => settle?.reject(thrown) }
}
