import type { Logger } from 'pino'
import type { TimedRunEvent } from '../../core/events.ts'
import { type JsonValue, withoutUndefined } from '../../core/json.ts'
import { createMask, type Mask } from '../../core/mask/index.ts'
import { errorData } from '../../core/run-error.ts'
import type { ReachedStartLimit } from '../../core/triggers/index.ts'
import type { DueNotice, UnownedRun } from '../../engine/embedded/index.ts'
import { learnFromEvent, sensitiveIn } from '../../project/records/index.ts'
import type { DeliveryAnswer, RequestFailure } from '../../triggers/server/index.ts'
import type { CommandContext } from '../shared/context.ts'
import { chooseLogLevel, createLogger } from '../shared/logger.ts'

/** The log of `serve`: JSON lines on stderr, with secrets masked. */
export interface ServeLog {
  readonly logger: Logger | undefined
  readonly mask: Pick<Mask, 'text'>
  maskValue<T extends JsonValue>(value: T): T
  hide(secret: string): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  answered(answer: DeliveryAnswer): void
  /** Logs a failed request. Its sender only gets the id. */
  failed(failure: RequestFailure): void
  /** Logs that a trigger has reached its start limit. */
  startLimit(startLimit: ReachedStartLimit): void
  /** Logs the number of times that a schedule has missed. */
  missed(schedule: string, times: number, fields?: object): void
  /** Logs a notification that was delivered, or why it was not. */
  notified(notice: DueNotice, reason: string | undefined): void
  refusedRun(runId: string, error: unknown): void
  /** Logs a run that is not continued here. */
  leftAlone(run: UnownedRun, reason: string): void
  /** Logs the events of a run, and masks the values that it marks as sensitive. */
  ofRun(runId: string, runbook: string, begin: RunBegin): (event: TimedRunEvent) => void
  /** Drops the mask of a run that has ended. */
  forgetRun(runId: string): void
}

/** Whether a run is new or resumed. */
export type RunBegin = 'started' | 'resumed'

const failedText = 'request failed'

/** Least time between two lines about refused deliveries, so that a flood of them does not fill the disk. */
const refusalsEveryMs = 1000

export async function createServeLog(context: CommandContext): Promise<ServeLog> {
  const mask = createMask()
  const ofRuns = new Map<string, Mask>()
  // One mask for each run: a single one would grow forever.
  const text = (given: string): string =>
    [...ofRuns.values()].reduce((shown, one) => one.text(shown), mask.text(given))
  const logger = await createLogger(chooseLogLevel(context, 'info'), context.io, { text })
  let lastRefusalMs = Number.NEGATIVE_INFINITY
  let skipped = 0
  const refused = (fields: object): void => {
    const now = Date.now()
    if (now - lastRefusalMs < refusalsEveryMs) {
      skipped++
      return
    }
    lastRefusalMs = now
    logger?.warn({ ...fields, ...(skipped > 0 ? { more_before: skipped } : {}) }, 'delivery refused')
    skipped = 0
  }
  return {
    logger,
    mask: { text },
    hide: mask.hide,
    // Masking keeps the shape of a value.
    maskValue: <T extends JsonValue>(value: T) => mask.value(value) as T,
    info: (message, fields = {}) => logger?.info(fields, message),
    warn: (message, fields = {}) => logger?.warn(fields, message),
    answered(answer) {
      if (!('event' in answer)) return refused(answer)
      const { hook, event_id, deliveries, starts } = answer.event
      const level = deliveries > 1 ? 'debug' : 'info'
      logger?.[level]({ hook, event: event_id, deliveries, starts: starts.map(brief) }, 'event')
    },
    failed({ id, hook, error }) {
      const fields = { id, ...(hook === undefined ? {} : { hook }) }
      const { stack } = error instanceof Error ? error : {}
      try {
        logger?.error({ ...fields, code: errorData(error).code, reason: stack ?? String(error) }, failedText)
      } catch {
        // If masking itself fails, nothing of the cause can be shown.
        context.io.stderr.write(`${JSON.stringify({ level: 'error', ...fields, msg: failedText })}\n`)
      }
    },
    startLimit: ({ runbook, trigger, message }) =>
      logger?.warn({ runbook, trigger, reason: message }, 'start limit reached'),
    missed(schedule, times, fields = {}) {
      const what = times === 1 ? 'a time was missed' : `${times} times were missed`
      logger?.warn({ schedule, ...fields }, what)
    },
    refusedRun(runId, error) {
      const { code, message } = errorData(error)
      logger?.warn({ run: runId, code, reason: message }, 'run not started')
    },
    notified({ kind, target, runId, path, tries }, reason) {
      const fields = {
        kind,
        target,
        ...withoutUndefined({ run: runId, step: path }),
      }
      if (reason === undefined) logger?.info(fields, 'notification delivered')
      else logger?.warn({ ...fields, tries, reason }, 'notification not delivered')
    },
    leftAlone: ({ id, runbook }, reason) => logger?.warn({ run: id, runbook, reason }, 'run left alone'),
    forgetRun: (runId) => void ofRuns.delete(runId),
    ofRun: (runId, runbook, begin) => (event) => {
      if (sensitiveIn(event).length > 0) {
        const ofRun = ofRuns.get(runId) ?? createMask()
        ofRuns.set(runId, ofRun)
        learnFromEvent(ofRun, event)
      }
      if (event.type === 'run_started') logger?.info({ run: runId, runbook }, `run ${begin}`)
      if (event.type !== 'run_finished') return
      const { status, error } = event
      logger?.info({ run: runId, runbook, status, ...(error ? { code: error.code } : {}) }, 'run finished')
    },
  }
}

function brief({ runbook, run_id, because }: { runbook: string; run_id?: string; because?: string }): object {
  return because === undefined ? { runbook, run: run_id } : { runbook, because }
}
