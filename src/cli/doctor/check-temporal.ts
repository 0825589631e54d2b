import type { Client } from '@temporalio/client'
import {
  type FoundWorkers,
  lookForWorkers,
  type Poller,
  type QueuePollers,
} from '../../engine/temporal/client/look-for-workers.ts'
import { readClockAheadMs } from '../../engine/temporal/client/read-server-clock.ts'
import { readUndelivered } from '../../engine/temporal/client/read-undelivered.ts'
import { missingSearchAttributes } from '../../engine/temporal/client/register-search-attributes.ts'
import { connectClient, type TemporalSettings } from '../../engine/temporal/connection.ts'
import { readQueueService, serviceText } from '../../engine/temporal/worker/claim-queue.ts'
import { findUnmarked } from '../../engine/temporal/worker-marks.ts'
import { type Configuration, chooseDataDir } from '../configuration/index.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import type { Io } from '../io.ts'
import { durationText } from '../terminal/duration-text.ts'
import { type Check, failedCheck } from './check.ts'
import { undeliveredText } from './check-notices.ts'
import { checkOpenRuns } from './check-open-runs.ts'

/** The Temporal engine: server, namespace, search attributes, how long runs are kept, workers, clock, files. */
export async function checkTemporal(
  flag: string | undefined,
  configuration: Configuration,
  io: Io,
): Promise<readonly Check[]> {
  let client: Client | undefined
  try {
    const settings = readTemporalSettings(configuration, io)
    client = await connectClient(settings)
    const found = await lookForWorkers(client, settings.taskQueue)
    const attributes = await checkAttributes(client)
    return [
      { name: 'temporal', status: 'ok', message: `"${settings.namespace}" at ${settings.address} answers` },
      attributes,
      await checkRetention(client),
      ...checkQueue(settings.taskQueue, await readQueueService(client, settings.taskQueue)),
      ...checkWorkers(found),
      // Without the attributes runs cannot be listed.
      ...(attributes.status === 'ok'
        ? await checkOpenRuns({ client, taskQueue: settings.taskQueue }, found.runs)
        : []),
      ...(await checkNotices(client, settings)),
      ...(await checkClock(client)),
      await checkFiles(chooseDataDir(flag, configuration, io), found.calls),
    ]
  } catch (error) {
    return [failedCheck('temporal', error)]
  } finally {
    await client?.connection.close()
  }
}

async function checkAttributes(client: Client): Promise<Check> {
  const name = 'search attributes'
  const missing = await missingSearchAttributes(client)
  return missing.length === 0
    ? { name, status: 'ok', message: 'all registered' }
    : {
        name,
        status: 'fail',
        message: `missing: ${missing.join(', ')}`,
        hints: ['register them once: opsbook temporal setup'],
      }
}

const shortMs = 24 * 3_600_000
async function checkRetention(client: Client): Promise<Check> {
  const { namespace } = client.options
  const { config } = await client.workflowService.describeNamespace({ namespace })
  const name = 'retention'
  const keptMs = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1000
  const message = `runs that have ended are kept for ${durationText(keptMs)}`
  return keptMs >= shortMs
    ? { name, status: 'ok', message }
    : {
        name,
        status: 'warn',
        message,
        hints: [`temporal operator namespace update --retention 30d ${namespace}`],
      }
}

function checkWorkers({ runs, calls }: FoundWorkers): readonly Check[] {
  const name = 'workers'
  return [runs, calls].map(({ queue, pollers, lastMs }): Check => {
    const count = pollers.length
    if (count === 0) {
      const hints = ['start one: opsbook worker']
      const last = lastMs === undefined ? '' : `; the last one did ${durationText(Date.now() - lastMs)} ago`
      return { name, status: 'fail', message: `nobody looks at the task queue "${queue}"${last}`, hints }
    }
    return { name, status: 'ok', message: `${count} at "${queue}": ${pollers.map(pollerText).join(', ')}` }
  })
}

/** What the runs of the queue call; the queue of no worker belongs to nothing. */
function checkQueue(taskQueue: string, service: string | undefined): readonly Check[] {
  if (service === undefined) return []
  return [{ name: 'task queue', status: 'ok', message: `"${taskQueue}" belongs to ${serviceText(service)}` }]
}

/** One that has work asks again at once, and one that has none after a minute: after some silence nobody can tell. */
const quietMs = 15_000

function pollerText({ identity, lastMs }: Poller): string {
  const silentMs = Date.now() - lastMs
  return silentMs < quietMs ? identity : `${identity} (last seen ${durationText(silentMs)} ago)`
}

async function checkNotices(client: Client, { taskQueue }: TemporalSettings): Promise<readonly Check[]> {
  const rows = await readUndelivered(client, taskQueue)
  return rows.map(({ target, waiting, givenUp, sinceMs, lastError }): Check => {
    const what = undeliveredText({ waiting, givenUp, since: new Date(sinceMs).toISOString(), lastError })
    const hint =
      waiting > 0 ? 'workers try it again, for a day' : 'nobody tries it again: "opsbook runs" has the runs'
    const message = `${target ?? 'no worker has said to whom'}: ${what}`
    return { name: 'notices', status: 'warn', message, hints: [hint] }
  })
}

/** The way there and back takes its time. */
const fineMs = 2000

async function checkClock(client: Client): Promise<readonly Check[]> {
  const aheadMs = await readClockAheadMs(client)
  if (aheadMs === undefined) return []
  const name = 'clock'
  const far = Math.abs(aheadMs)
  if (far <= fineMs) return [{ name, status: 'ok', message: 'agrees with the Temporal server' }]
  const message = `this machine is ${durationText(far)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the Temporal server`
  return [
    { name, status: 'warn', message, hints: ['set the clock by NTP; times in records go wrong otherwise'] },
  ]
}

/** Whether the files of runs come together in one place: each worker that makes calls has left its mark there. */
async function checkFiles(dataDir: string, { pollers }: QueuePollers): Promise<Check> {
  const name = 'artifacts'
  const identities = pollers.map(({ identity }) => identity)
  const strangers = await findUnmarked(dataDir, identities)
  const hints = ['every worker must write to the same folder: OPSBOOK_DATA_DIR, or data-dir in opsbook.yaml']
  if (strangers.length === 0) {
    const sharing = pollers.length === 0 ? 'no worker says where it writes to' : 'all workers write there'
    return { name, status: 'ok', message: `looked for in ${dataDir}; ${sharing}` }
  }
  if (strangers.length === pollers.length) {
    const message = `looked for in ${dataDir}, where no worker writes to`
    return {
      name,
      status: 'warn',
      message,
      hints: ['ask on a machine that shares the folder of the workers', ...hints],
    }
  }
  return {
    name,
    status: 'fail',
    message: `looked for in ${dataDir}, which is not the folder of ${strangers.join(', ')}`,
    hints,
  }
}
