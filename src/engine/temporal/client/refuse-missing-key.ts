import { RunbookError } from '../../../core/run-error.ts'
import { missingKeyOf } from '../codec/announced-key.ts'
import { lookForWorkers } from './look-for-workers.ts'
import type { ClientPorts } from './talk-to-run.ts'

/** A server that needs longer does not keep a run from being started. */
const answerMs = 2000

/** Throws `PayloadUnreadable` where a worker of the queue encrypts with a key that is not here: no answer could be read. */
export async function refuseMissingKey({ client, taskQueue }: ClientPorts): Promise<void> {
  const found = await client
    .withDeadline(Date.now() + answerMs, () => lookForWorkers(client, taskQueue))
    .catch(() => undefined)
  for (const { identity } of [...(found?.runs.pollers ?? []), ...(found?.calls.pollers ?? [])]) {
    const id = missingKeyOf(identity)
    if (id === undefined) continue
    const message = `the worker ${identity} encrypts with the key ${id}, which is not here: nothing was started`
    throw new RunbookError('PayloadUnreadable', message, { notSent: true })
  }
}
