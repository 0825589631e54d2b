import { Context } from '@temporalio/activity'
import type { AsyncCompletionClient } from '@temporalio/client'
import type { Action } from '../../../actions/action.ts'
import { createSecretsOfRuns } from '../../../actions/run-secrets.ts'
import type { SecretStore } from '../../../actions/secret-store.ts'
import type { CancellationSource } from '../../../core/cancellation.ts'
import type { Clock } from '../../attempt/clock.ts'
import type { OpenConnection } from '../../attempt/connections.ts'
import { createStopSignals } from '../../attempt/stop-signals.ts'
import { type AttemptOrder, type FileOrder, takeFileActivity } from '../messages.ts'
import { attemptActivity } from './attempt-activity.ts'
import { takeFile } from './file-claims.ts'
import { createNoticeActivities, type NoticePort } from './notice-activities.ts'

/** What a worker carries actions out with. */
export interface ActivityOptions {
  readonly actions: readonly Action[]
  /** The client of a connection, by the name that a step or a run gives. */
  readonly connect: OpenConnection
  readonly secrets: SecretStore
  /** Whom runs tell that they need people. @default nobody */
  readonly notices?: NoticePort
  /** Holds the files of all runs: a directory that all workers share. */
  readonly dataDir: string
  /** Completes what the connection of the worker would give up too soon. */
  readonly completion: AsyncCompletionClient
  /** The worker is to stop: what is not sent yet is given up. */
  readonly interrupt: CancellationSource
  /** @default the clock of the machine */
  readonly clock?: Clock
}

/** The activities of a worker that makes calls: one for each action, by its name. */
export function createActivities(
  options: ActivityOptions,
): Record<string, (order: never) => Promise<unknown>> {
  const { actions } = options
  const ports = {
    ...options,
    stops: createStopSignals(options.interrupt),
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
    [takeFileActivity]: (order: FileOrder) =>
      takeFile(ports.dataDir, order, Context.current().info.namespace),
    ...createNoticeActivities(options.notices),
  }
}
