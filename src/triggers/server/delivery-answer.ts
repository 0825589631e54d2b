import type { FastifyReply } from 'fastify'
import { RunbookError } from '../../core/run-error.ts'
import type { EventRecord } from '../../core/triggers/index.ts'
import { answerFailure, failedHere, ignoringErrors, type OnFailure } from './answer-failure.ts'

/** The result of a delivery, for the log and the metrics. */
export type DeliveryAnswer =
  | { readonly hook: string; readonly status: 200; readonly event: EventRecord }
  /** `hook` is left out where there is none of that name. */
  | {
      readonly hook?: string
      readonly status: number
      readonly reason: string
      /** An authenticated delivery failed: the next one may fail too. */
      readonly isFailure?: true
    }

/** After how many seconds a sender may retry. */
const retryAfter = 5

const cannotBeTaken = 'no event can be taken now; come again'

/** Who hears what became of deliveries. */
export interface DeliveryListener {
  /** What it throws has no effect on the answer. */
  readonly onAnswer: (answer: DeliveryAnswer) => void
  readonly onFailure?: OnFailure
}

export function reportAnswer({ onAnswer }: DeliveryListener, answer: DeliveryAnswer): void {
  ignoringErrors(() => onAnswer(answer))
}

/** Answers that the sender has done something wrong. */
export function refuseDelivery(
  listener: DeliveryListener,
  reply: FastifyReply,
  status: number,
  reason: string,
  hook?: string,
): FastifyReply {
  reportAnswer(listener, { status, reason, ...(hook === undefined ? {} : { hook }) })
  return reply.code(status).send({ error: reason })
}

/** Answers that the sender may retry. */
export function refuseForNow(listener: DeliveryListener, reply: FastifyReply, hook: string): FastifyReply {
  return refuseDelivery(listener, reply.header('retry-after', retryAfter), 503, cannotBeTaken, hook)
}

/** Answers that something failed here. `isFailure`: of an authenticated delivery. */
export function failDelivery(
  listener: DeliveryListener,
  reply: FastifyReply,
  error: unknown,
  hook?: string,
  isFailure?: true,
): FastifyReply {
  const status = RunbookError.is(error) ? 503 : 500
  const reason = status === 503 ? cannotBeTaken : failedHere
  const where = hook === undefined ? {} : { hook }
  // The engine itself watches whether its server is there, and is ready again as soon as it is.
  const isWatched = RunbookError.is(error) && error.code === 'TemporalUnavailable'
  reportAnswer(listener, { status, reason, ...where, ...(isFailure && !isWatched && { isFailure }) })
  if (status === 503) reply.header('retry-after', retryAfter)
  return answerFailure(reply, { status, reason, error, ...where }, listener.onFailure)
}
