import type { Client } from '@temporalio/client'
import type { Check } from '../../../documents/index.ts'
import {
  connectClient,
  type FoundWorkers,
  findObstacles,
  lookForWorkers,
  missingSearchAttributes,
  type Poller,
  plainAccepted,
  plainVariable,
  protection,
  readUndelivered,
  type TemporalSettings,
} from '../../../engine/temporal/client/index.ts'
import { isOtherService, readQueueService, serviceText } from '../../../engine/temporal/worker/index.ts'
import type { Configuration } from '../../../project/configuration/index.ts'
import { defaultAddressOf } from '../../../project/connections/index.ts'
import type { Surroundings } from '../../../project/index.ts'
import { readTemporalSettings } from '../../../project/temporal/index.ts'
import { durationText } from '../../../view/text/index.ts'
import { check, failedCall, failedCheck, passed } from './check.ts'
import { undelivered } from './check-hooks.ts'

/** Checks the Temporal server and its namespace, the workers, and whether these can continue the open runs. */
export async function checkTemporal(
  configuration: Configuration,
  io: Surroundings,
): Promise<readonly Check[]> {
  let client: Client | undefined
  try {
    const settings = readTemporalSettings(configuration, io)
    client = await connectClient(settings)
    const { taskQueue } = settings
    const found = await lookForWorkers(client, taskQueue)
    const attributes = await checkAttributes(client)
    return [
      passed('temporal', `"${settings.namespace}" at ${settings.address} answers`),
      checkProtection(settings),
      attributes,
      ...checkQueue(
        taskQueue,
        await readQueueService(client, taskQueue),
        defaultAddressOf(configuration, io),
      ),
      ...checkWorkers(found),
      // Without the attributes runs cannot be listed, and without workers that is the first problem to solve.
      ...(attributes.status === 'ok' && found.runs.pollers.length > 0
        ? checkRuns(await findObstacles({ client, taskQueue }))
        : []),
      ...(await checkNotices(client, settings)),
    ]
  } catch (error) {
    return [failedCheck('temporal', error)]
  } finally {
    await client?.connection.close()
  }
}

/** Keys prove that a message is from someone who has them. */
function checkProtection({ namespace }: TemporalSettings): Check {
  const name = 'encryption'
  const found = protection()
  if (found === 'keys') return passed(name, 'only payloads of the keys in OPSBOOK_TEMPORAL_KEYS are accepted')
  if (found === 'plain-accepted')
    return passed(name, plainAccepted, [`remove ${plainVariable} once all workers and commands have keys`])
  return check(
    name,
    'warn',
    `without keys, whoever may write to "${namespace}" runs anything that workers may run, commands included, and approves anything`,
    'set OPSBOOK_TEMPORAL_KEYS on workers and for commands: docs/workers.md#encryption',
    'use a namespace for Opsbook alone, and let only its workers and operators write to it',
  )
}

async function checkAttributes(client: Client): Promise<Check> {
  const name = 'search attributes'
  const missing = await missingSearchAttributes(client)
  if (missing.length === 0) return passed(name, 'all registered')
  return check(name, 'fail', `missing: ${missing.join(', ')}`, 'register them once: opsbook temporal setup')
}

function checkWorkers({ runs, calls }: FoundWorkers): readonly Check[] {
  const name = 'workers'
  return [runs, calls].map(({ queue, pollers, lastMs }): Check => {
    if (pollers.length > 0)
      return passed(name, `${pollers.length} polling "${queue}": ${pollers.map(pollerText).join(', ')}`)
    const last = lastMs === undefined ? '' : `; the last poll was ${durationText(Date.now() - lastMs)} ago`
    return check(
      name,
      'fail',
      `no worker polls the task queue "${queue}"${last}`,
      'start one: opsbook worker',
    )
  })
}

/** Names the service that the task queue belongs to, and warns where another one is configured here. */
function checkQueue(
  taskQueue: string,
  service: string | undefined,
  address: string | undefined,
): readonly Check[] {
  const name = 'task queue'
  // A queue without workers belongs to none.
  if (service === undefined) return []
  const what = `"${taskQueue}" belongs to ${serviceText(service)}`
  if (address === undefined || !isOtherService(service, address)) return [passed(name, what)]
  return [
    check(
      name,
      'warn',
      `${what}, and the default connection here is ${address}: runs that you start here call ${serviceText(service)}`,
      'name the task queue of your service in OPSBOOK_TASK_QUEUE, or correct the connection',
    ),
  ]
}

/** An idle worker polls once a minute, so this much silence does not mean that it is gone. */
const quietMs = 15_000

function pollerText({ identity, lastMs }: Poller): string {
  const silentMs = Date.now() - lastMs
  return silentMs < quietMs ? identity : `${identity} (last seen ${durationText(silentMs)} ago)`
}

async function checkNotices(client: Client, { taskQueue }: TemporalSettings): Promise<readonly Check[]> {
  const rows = await readUndelivered(client, taskQueue)
  return rows.map(({ target = 'no worker has named a target', ...facts }) => {
    const hint =
      facts.waiting > 0 ? 'workers retry it for a day' : 'it is not retried: see the runs with "opsbook runs"'
    return undelivered(target, facts, hint)
  })
}

function checkRuns(obstacles: Awaited<ReturnType<typeof findObstacles>>): readonly Check[] {
  const name = 'runs'
  if (obstacles.length > 0)
    return obstacles.map((obstacle) => ({ ...failedCall(name, obstacle), isOfRuns: true }))
  return [passed(name, 'workers can continue the open runs')]
}
