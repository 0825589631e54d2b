/** `opsbook events send`: delivers an event to `opsbook serve` on this machine. */

import { randomUUID } from 'node:crypto'
import type { EventDecision } from '../../core/triggers/index.ts'
import { readCallbackKey as readOwnKey } from '../../engine/embedded/index.ts'
import { callbackAddresses } from '../../engine/record/index.ts'
import {
  type Configuration,
  chooseDataDir,
  readConfiguration,
  readConfiguredCallbackKey,
} from '../../project/configuration/index.ts'
import { chooseEngine } from '../../project/engine/index.ts'
import { readHooks } from '../../project/hooks/index.ts'
import { CommandError, type EngineFlags, usualAddresses } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { signDelivery } from '../../triggers/webhooks/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { isLoopback, listenUrl, readListen } from '../shared/read-listen.ts'
import { chooseHook, readBody } from './test-event.ts'

/** The flags of `events send`, as the parser hands them over. */
export interface EventSendFlags extends EngineFlags, OutputFlags {
  readonly event: string
  readonly hook?: string
  readonly callback?: string
  readonly id?: string
  readonly to: string
}

/** A delivery that `serve` checks as it checks any other. */
interface Delivery {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** How long `serve` may take to answer. */
const maxWaitMs = 30_000

export async function sendEvent(context: CommandContext, flags: EventSendFlags): Promise<void> {
  if (flags.hook !== undefined && flags.callback !== undefined)
    throw new CommandError('usage', '--hook and --callback are two receivers: name one')
  const configuration = await readConfiguration(context.io)
  const address = readListen(flags.to, usualAddresses.serve, '--to')
  if (!isLoopback(address.host))
    throw new CommandError('usage', `--to takes an address of this machine, not ${address.host}`, {
      hints: ['the secret of a hook leaves this machine only with its sender'],
    })
  const base = listenUrl(address)
  const { body } = await readBody(flags.event, context.io)
  const delivery =
    flags.callback === undefined
      ? await toHook(base, body, flags, configuration, context)
      : await toCallback(base, flags.callback, flags, configuration, context)
  const { status, answered } = await post(delivery, body, flags.to)
  const { event_id = '', starts = [], error = `status ${status}` } = answered
  if (status !== 200)
    throw new CommandError('failed', `"opsbook serve" refused the event: ${printableLine(error)}`, {
      hints: [hints[status] ?? 'the log of "opsbook serve" says more'],
    })
  if (flags.output === 'json') answerJson(context, { event_id, starts: [...starts] })
  else
    answer(context, [
      `event ${printableLine(event_id)} is recorded`,
      ...starts.map((one) => `  ${printableLine(one.runbook)}  ${one.because ?? `started ${one.run_id}`}`),
      context.paint.dim(`  opsbook events show ${printableLine(event_id)}`),
    ])
}

const hints: Readonly<Record<number, string>> = {
  401: 'its opsbook.yaml has another secret for this hook',
  404: 'it reads another opsbook.yaml or another data directory',
  410: 'no step of the run can take it any more',
}

async function toHook(
  base: string,
  body: string,
  { hook: named, id = randomUUID() }: EventSendFlags,
  configuration: Configuration,
  { io }: CommandContext,
): Promise<Delivery> {
  const { hooks } = await readHooks(configuration, io)
  const { name, auth } = chooseHook(hooks, named)
  return {
    url: `${base}/hooks/${encodeURIComponent(name)}`,
    headers: signDelivery(auth, { id, body, nowMs: Date.now() }),
  }
}

async function toCallback(
  base: string,
  callback: string,
  { engine, dataDir }: EventSendFlags,
  configuration: Configuration,
  { io }: CommandContext,
): Promise<Delivery> {
  const [, runId, name] = /^([^/]+)\/([^/]+)$/.exec(callback) ?? []
  if (runId === undefined || name === undefined)
    throw new CommandError('usage', `--callback takes RUN/NAME, not ${JSON.stringify(callback)}`, {
      hints: ['NAME is the "callback" of the step that waits'],
    })
  const isOwn = chooseEngine(engine, configuration, io) === 'embedded'
  const folder = chooseDataDir(dataDir, configuration, io)
  const key = isOwn ? readOwnKey(folder) : await readConfiguredCallbackKey(configuration, io)
  if (key === undefined)
    throw new CommandError('usage', 'no run here has a callback', {
      hints: [
        isOwn
          ? `there is no callback.key in ${printableLine(folder)}; --data-dir names another folder`
          : 'opsbook.yaml has no callback-key under "serve"',
      ],
    })
  const { [name]: url = '' } = callbackAddresses(runId, [name], { publicUrl: base, key })
  return { url, headers: {} }
}

interface ServeAnswer {
  readonly event_id?: string
  readonly starts?: readonly EventDecision[]
  readonly error?: string
}

async function post(
  { url, headers }: Delivery,
  body: string,
  to: string,
): Promise<{ readonly status: number; readonly answered: ServeAnswer }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(maxWaitMs),
    })
    const answered = (await response.json().catch(() => ({}))) as ServeAnswer
    return { status: response.status, answered }
  } catch (cause) {
    throw new CommandError('environment', `no "opsbook serve" answers at ${to}`, {
      hints: ['start it, or name its address with --to'],
      cause,
    })
  }
}
