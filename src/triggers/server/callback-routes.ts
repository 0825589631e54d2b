import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { callbackHook } from '../../core/hooks/index.ts'
import { createMask } from '../../core/mask/index.ts'
import type { EventEvaluation } from '../../core/triggers/index.ts'
import { isCallbackToken } from '../../engine/record/index.ts'
import { type EvaluateOptions, evaluateEvent } from '../evaluate/evaluate-event.ts'
import { type PermanentRefusal, parseBody } from '../webhooks/read-delivery.ts'

/** What the callbacks of runs are served with. */
export interface CallbackPort {
  /** The key that tokens are made with. Undefined: no run here has a callback. */
  key(): string | undefined
  /** Whether no step of the run can take an event any more. */
  hasEnded(runId: string): Promise<boolean>
  /** Whether this event of the callback is recorded: a sender that lost the answer repeats it. */
  isKnown(hook: string, eventId: string): Promise<boolean>
}

export const callbackRoute = '/callbacks/:run/:callback/:token'

/** How the log and the metrics name all callbacks: each run has its own. */
export const callbacksName = 'callbacks'

/** A request whose token is that of its callback. */
export interface CallbackRequest {
  readonly runId: string
  readonly hook: string
  readonly token: string
}

/** Undefined: the token is not that of a callback. The time of it says nothing about which runs exist. */
export function readCallback({ params }: FastifyRequest, port: CallbackPort): CallbackRequest | undefined {
  const { run = '', callback = '', token = '' } = params as Readonly<Record<string, string>>
  const key = port.key()
  if (key === undefined || !isCallbackToken(key, run, callback, token)) return undefined
  return { runId: run, hook: callbackHook(run, callback), token }
}

/** The event of a callback: the body, under its hash. It starts no run. */
export function readCallbackEvent(
  { hook, token }: CallbackRequest,
  body: Buffer,
  receivedAtMs: number,
  { actions, mask = (value) => value }: EvaluateOptions,
): { readonly evaluation: EventEvaluation } | PermanentRefusal {
  const parsed = parseBody(body)
  if ('refusal' in parsed) return parsed
  const id = `sha256-${createHash('sha256').update(body).digest('hex')}`
  const event = { hook, id, type: 'callback', receivedAtMs, body: parsed.value }
  // Some senders repeat the address.
  const own = createMask([token])
  const hide: typeof mask = (value) => own.value(mask(value)) as typeof value
  return { evaluation: evaluateEvent(event, { runbooks: [], actions, mask: hide }) }
}
