import { TypedSearchAttributes } from '@temporalio/common'
import { msToTs } from '@temporalio/common/lib/time.js'
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js'
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js'
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js'
import type { WorkflowInfo } from '@temporalio/workflow'
import {
  cancelRunActivity,
  checkInputsActivity,
  keepLogActivity,
  pageActivity,
  peopleActivity,
  sealKeyActivity,
} from '../../../../src/engine/temporal/messages.ts'
import {
  callbacksActivity,
  listenActivity,
} from '../../../../src/engine/temporal/received-events/listening.ts'
import { workflowBundle } from '../../../../src/engine/temporal/worker/workflow-bundle.ts'

type Workflow = Awaited<ReturnType<ReusableVMWorkflowCreator['createWorkflow']>>
type Activation = Parameters<Workflow['activate']>[0]

/** One job of an activation. */
export type Job = NonNullable<Activation['jobs']>[number]
/** One command of a workflow. */
export type Command = NonNullable<
  NonNullable<Awaited<ReturnType<Workflow['activate']>>['successful']>['commands']
>[number]

/** The state of the history at an activation. */
export interface Told {
  readonly jobs: readonly Job[]
  readonly timeMs: number
  /** How many events the history has. */
  readonly historyLength: number
  readonly isReplaying?: boolean
}

/** The workflows in the isolate that workers run them in, without a server: the test makes the activations. */
export interface Isolate {
  /** `runId` names its execution; left out: a new one. */
  create(workflowType: string, workflowId: string, startMs: number, runId?: string): Promise<IsolatedWorkflow>
  close(): Promise<void>
}

/** One execution of a workflow. */
export interface IsolatedWorkflow {
  readonly runId: string
  /** Rejects when a worker would report a failed task, which the server retries without end. */
  tell(told: Told): Promise<readonly Command[]>
  dispose(): Promise<void>
}

export async function createIsolate(): Promise<Isolate> {
  const bundle = await workflowBundle()
  if (!('code' in bundle)) throw new Error('the bundle has no code')
  const creator = await ReusableVMWorkflowCreator.create(
    parseWorkflowCode(bundle.code),
    undefined as never,
    new Set([
      cancelRunActivity,
      checkInputsActivity,
      keepLogActivity,
      listenActivity,
      pageActivity,
      callbacksActivity,
      peopleActivity,
      sealKeyActivity,
    ]),
  )
  // Otherwise the SDK records the stack of every promise of this process.
  globalHandlers.uninstall()
  let count = 0
  return {
    async create(workflowType, workflowId, startMs, runId = `run-${++count}`) {
      const info = infoOf(workflowType, workflowId, runId, startMs)
      const workflow = await creator.createWorkflow({
        info,
        randomnessSeed: [1, 2, 3, 4, 5, 6, 7, 8],
        now: startMs,
        showStackTraceSources: false,
      })
      return { runId, tell: (told) => tell(workflow, runId, told), dispose: () => workflow.dispose() }
    },
    close: () => creator.destroy(),
  }
}

async function tell(
  workflow: Workflow,
  runId: string,
  { jobs, timeMs, historyLength, isReplaying = false }: Told,
): Promise<readonly Command[]> {
  const { failed, successful } = await workflow.activate({
    runId,
    timestamp: msToTs(timeMs),
    isReplaying,
    historyLength,
    // A current server sends this about the first execution.
    availableInternalFlags: [1, 2, 6],
    jobs: [...jobs],
  })
  await workflow.getAndResetSinkCalls()
  if (failed)
    throw new Error(`the workflow task fails: ${failed.failure?.message}\n${failed.failure?.stackTrace}`)
  return successful?.commands ?? []
}

function infoOf(workflowType: string, workflowId: string, runId: string, startMs: number): WorkflowInfo {
  return {
    workflowId,
    runId,
    workflowType,
    searchAttributes: {},
    typedSearchAttributes: new TypedSearchAttributes(),
    taskQueue: 'runs',
    namespace: 'default',
    firstExecutionRunId: runId,
    originalExecutionRunId: runId,
    startTime: new Date(startMs),
    runStartTime: new Date(startMs),
    taskTimeoutMs: 10_000,
    attempt: 1,
    historyLength: 1,
    historySize: 0,
    continueAsNewSuggested: false,
    targetWorkerDeploymentVersionChanged: false,
    suggestedContinueAsNewReasons: [],
    currentBuildId: '',
    unsafe: {
      now: () => startMs,
      isReplaying: false,
      isReplayingHistoryEvents: false,
      random: Math.random as never,
    },
    priority: {},
  } as unknown as WorkflowInfo
}
