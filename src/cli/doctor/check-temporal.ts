import type { Client } from '@temporalio/client'
import { errorRule } from '../../core/errors.ts'
import type { Engine } from '../../engine/index.ts'
import {
  type ClientPorts,
  connectClient,
  type FoundWorkers,
  findUnmarked,
  lookAtOpenRuns,
  lookForWorkers,
  missingSearchAttributes,
  type OpenRun,
  openTemporalEngine,
  type Poller,
  plainAccepted,
  plainVariable,
  protection,
  type QueuePollers,
  readClockAheadMs,
  readUndelivered,
  type TemporalSettings,
} from '../../engine/temporal/client/index.ts'
import { readQueueService, serviceText } from '../../engine/temporal/worker/index.ts'
import { chooseDataDir } from '../shared/configuration/data-dir.ts'
import type { Configuration } from '../shared/configuration/read-configuration.ts'
import { readTemporalSettings } from '../shared/engine/temporal-settings.ts'
import type { Io } from '../shared/io.ts'
import { readItemNames } from '../shared/record/read-item-names.ts'
import { printableLine } from '../shared/terminal/printable.ts'
import { durationText } from '../shared/terminal/quantity-text.ts'
import { waitText } from '../show/waiting-lines.ts'
import { type Check, failedCheck } from './check.ts'
import { undeliveredText } from './check-notices.ts'
import { checkTurns } from './check-turns.ts'

/** Checks the Temporal engine: server, search attributes, retention, workers, open runs, clock and files. */
export async function checkTemporal(
  flag: string | undefined,
  configuration: Configuration,
  io: Io,
): Promise<readonly Check[]> {
  let client: Client | undefined
  try {
    const settings = readTemporalSettings(configuration, io)
    client = await connectClient(settings)
    const dataDir = chooseDataDir(flag, configuration, io)
    const found = await lookForWorkers(client, settings.taskQueue)
    const attributes = await checkAttributes(client)
    return [
      { name: 'temporal', status: 'ok', message: `"${settings.namespace}" at ${settings.address} answers` },
      checkProtection(settings),
      attributes,
      await checkRetention(client),
      ...checkQueue(settings.taskQueue, await readQueueService(client, settings.taskQueue)),
      ...checkWorkers(found),
      // Without the attributes runs cannot be listed.
      ...(attributes.status === 'ok'
        ? await checkOpenRuns({ client, taskQueue: settings.taskQueue, dataDir }, found.runs)
        : []),
      ...(await checkNotices(client, settings)),
      ...(await checkClock(client)),
      await checkFiles(dataDir, found.calls),
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
  if (found === 'keys')
    return { name, status: 'ok', message: 'only payloads of the keys in OPSBOOK_TEMPORAL_KEYS are accepted' }
  if (found === 'plain-accepted')
    return {
      name,
      status: 'warn',
      message: plainAccepted,
      hints: [`remove ${plainVariable} once all workers and commands have keys`],
    }
  return {
    name,
    status: 'warn',
    message: `without keys, whoever may write to "${namespace}" runs anything that workers may run, commands included, and approves anything`,
    hints: [
      'set OPSBOOK_TEMPORAL_KEYS on workers and for commands: docs/workers.md#encryption',
      'use a namespace for Opsbook alone, and let only its workers and operators write to it',
    ],
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
  const message = `ended runs are kept for ${durationText(keptMs)}`
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
      const last = lastMs === undefined ? '' : `; the last poll was ${durationText(Date.now() - lastMs)} ago`
      return { name, status: 'fail', message: `no worker polls the task queue "${queue}"${last}`, hints }
    }
    return {
      name,
      status: 'ok',
      message: `${count} polling "${queue}": ${pollers.map(pollerText).join(', ')}`,
    }
  })
}

/** Names the service that the task queue belongs to; a queue without workers belongs to none. */
function checkQueue(taskQueue: string, service: string | undefined): readonly Check[] {
  if (service === undefined) return []
  return [{ name: 'task queue', status: 'ok', message: `"${taskQueue}" belongs to ${serviceText(service)}` }]
}

/** An idle worker polls once a minute, so this much silence does not mean that it is gone. */
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
      waiting > 0 ? 'workers retry it for a day' : 'it is not retried: see the runs with "opsbook runs"'
    const message = `${target ?? 'no worker has named a target'}: ${what}`
    return { name: 'notices', status: 'warn', message, hints: [hint] }
  })
}

/** The request takes time. */
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

/** Checks that all workers write files to one folder, by the marker file that each leaves there. */
async function checkFiles(dataDir: string, { pollers }: QueuePollers): Promise<Check> {
  const name = 'artifacts'
  const identities = pollers.map(({ identity }) => identity)
  const unmarked = await findUnmarked(dataDir, identities)
  const hints = ['every worker must write to the same folder: OPSBOOK_DATA_DIR, or data-dir in opsbook.yaml']
  if (unmarked.length === 0) {
    const sharing = pollers.length === 0 ? 'no worker reports its folder' : 'all workers write there'
    return { name, status: 'ok', message: `looked for in ${dataDir}; ${sharing}` }
  }
  if (unmarked.length === pollers.length) {
    const message = `looked for in ${dataDir}, where no worker writes`
    return {
      name,
      status: 'warn',
      message,
      hints: ['run "opsbook doctor" on a machine that shares the folder of the workers', ...hints],
    }
  }
  return {
    name,
    status: 'fail',
    message: `looked for in ${dataDir}, which is not the folder of ${unmarked.join(', ')}`,
    hints,
  }
}

/** More are only counted. */
const mostListed = 5

/** Checks whether workers can continue the open runs, and lists attempts that have waited for over a minute. */
async function checkOpenRuns(
  ports: ClientPorts & { readonly dataDir: string },
  workers: QueuePollers,
): Promise<readonly Check[]> {
  const runs = await lookAtOpenRuns(ports, workers)
  const engine = openTemporalEngine({ ...ports, loadActions: async () => [] })
  return [
    ...(workers.pollers.length > 0 ? obstacleChecks(runs) : []),
    ...(await checkTurns(engine)),
    ...(await waitingChecks(runs, (runId, path) => labelOf(engine, runId, path))),
  ]
}

/** A call with the items of its loops, where its run can be read. */
async function labelOf(engine: Engine, runId: string, path: string): Promise<string> {
  if (!path.includes('[')) return path
  try {
    const run = await engine.readRun(runId)
    return run === undefined ? path : (await readItemNames(run, [path], engine)).label(path)
  } catch {
    // A run that no worker can continue answers nothing.
    return path
  }
}

function obstacleChecks(runs: readonly OpenRun[]): readonly Check[] {
  const name = 'runs'
  const stuck = runs.flatMap(({ obstacle }) => (obstacle ? [obstacle] : []))
  if (stuck.length === 0) {
    const { length } = runs
    const message = `${length === 0 ? 'no run is open' : `workers can continue the ${length} newest open runs`}`
    return [{ name, status: 'ok', message }]
  }
  return stuck.map(({ code, message, next = errorRule(code).next }) => ({
    name,
    status: 'fail',
    isOfRuns: true,
    message: `${code}: ${message}`,
    hints: [next],
  }))
}

/** The attempts that have waited for long. */
export async function waitingChecks(
  runs: readonly OpenRun[],
  label: (runId: string, path: string) => Promise<string>,
): Promise<readonly Check[]> {
  const found = runs.flatMap(({ runId, waiting }) => waiting.map((attempt) => ({ runId, attempt })))
  if (found.length === 0) return []
  const now = Date.now()
  const longest = found
    .toSorted((one, other) => Date.parse(one.attempt.since) - Date.parse(other.attempt.since))
    .slice(0, mostListed)
  const listed: string[] = []
  for (const { runId, attempt } of longest)
    listed.push(`${runId} ${printableLine(await label(runId, attempt.path))} ${waitText(attempt, now)}`)
  const left = found.length - listed.length
  return [
    {
      name: 'waiting',
      status: 'warn',
      message: `${found.length} ${found.length === 1 ? 'attempt has' : 'attempts have'} waited for over a minute`,
      hints: [...listed, ...(left > 0 ? [`and ${left} more: "opsbook show RUN" lists those of a run`] : [])],
    },
  ]
}
