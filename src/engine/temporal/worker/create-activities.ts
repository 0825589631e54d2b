import { randomBytes } from 'node:crypto'
import { Context } from '@temporalio/activity'
import { type Action, createSecretsOfRuns, type SecretStore } from '../../../actions/index.ts'
import type { CheckedChildInputs } from '../../../core/host/index.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { People } from '../../../core/people/index.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { type CallbackSettings, pageOfRun } from '../../record/index.ts'
import {
  type AttemptOrder,
  cancelRunActivity,
  checkInputsActivity,
  type FileOrder,
  type InputsOrder,
  type KeptPage,
  keepLogActivity,
  pageActivity,
  peopleActivity,
  sealKeyActivity,
  takeFileActivity,
} from '../messages.ts'
import {
  type CallbacksOrder,
  callbacksActivity,
  type ListenOrder,
  listenActivity,
} from '../received-events/listening.ts'
import { type AttemptActivityPorts, attemptActivity } from './attempt-activity.ts'
import { takeFile } from './file-claims.ts'
import { answerTaken, makeCallbacks, registerListener, type TakenOrder } from './listen-activities.ts'
import { createNoticeActivities, type NoticePort } from './notice-activities.ts'
import { createResetGuard } from './reset-guard.ts'

/** What a worker runs actions with. */
export interface ActivityOptions extends Omit<AttemptActivityPorts, 'secretsOf' | 'guard'> {
  readonly actions: readonly Action[]
  readonly secrets: SecretStore
  /** Where the notifications of runs are sent. @default nowhere */
  readonly notices?: NoticePort
}

/** The activities of a worker that makes calls: one for each action, by its name. */
export function createActivities(
  options: ActivityOptions,
): Record<string, (order: never) => Promise<unknown>> {
  const { actions } = options
  const ports = {
    ...options,
    guard: createResetGuard(options.client),
    secretsOf: createSecretsOfRuns(options.secrets),
  }
  const attempts = actions.map(
    (action) =>
      [
        action.name,
        (order: AttemptOrder) => attemptActivity(action, order, Context.current(), ports),
      ] as const,
  )
  return {
    ...Object.fromEntries(attempts),
    'core/listen': (order: TakenOrder) => answerTaken(order),
    [takeFileActivity]: (order: FileOrder) =>
      takeFile(ports.dataDir, order, Context.current().info.namespace),
    ...createNoticeActivities(options.notices),
  }
}

/** What a worker of runs needs besides the code of the workflows. */
export interface LocalActivityOptions {
  /** Checks the inputs that a step gives to its child runbook. */
  readonly checkInputs: (child: Pick<Plan, 'name' | 'inputs'>, given: JsonObject) => CheckedChildInputs
  /**
   * Who is in which group, and which names count as verified, for questions that say who may answer.
   * @default nobody
   */
  readonly people?: People
  /**
   * What the addresses of callbacks are made with.
   * @default a run with a callback fails with `NoPublicUrl`
   */
  readonly callbacks?: CallbackSettings
  /**
   * The public address of the console, for `run.url`.
   * @default `run.url` is absent
   */
  readonly consoleUrl?: string
}

/** The activities that the worker of a run executes within a task of its workflow, with no queue in between. */
export function createLocalActivities({
  checkInputs,
  callbacks,
  consoleUrl,
  people = {},
}: LocalActivityOptions): Record<string, (order: never) => Promise<unknown>> {
  return {
    [checkInputsActivity]: async ({ plan, given }: InputsOrder) => checkInputs(plan, given),
    [listenActivity]: (order: ListenOrder) => registerListener(order),
    [callbacksActivity]: async (order: CallbacksOrder) => makeCallbacks(order, callbacks),
    [pageActivity]: async (runId: string) => pageOfRun(runId, consoleUrl),
    [peopleActivity]: async () => people,
    // As secret as the arguments of the run: the history has it, encrypted where the worker has keys.
    [sealKeyActivity]: async () => randomBytes(32).toString('hex'),
    [keepLogActivity]: async (page: KeptPage) => page,
    [cancelRunActivity]: cancelRun,
  }
}

/** Asks the server to cancel the execution that asks for it. */
async function cancelRun(): Promise<void> {
  const { client, info } = Context.current()
  const { workflowId, runId } = info.workflowExecution ?? {}
  if (workflowId !== undefined) await client.workflow.getHandle(workflowId, runId).cancel()
}
