import type { Logger } from 'pino'
import type { TimedRunEvent } from '../../core/events.ts'
import type { JsonValue } from '../../core/json.ts'
import { createMask, type Mask } from '../../core/mask/mask.ts'
import { errorData } from '../../core/run-error.ts'
import type { ReachedStartLimit } from '../../core/triggers/decide-offer.ts'
import type { UnownedRun } from '../../engine/embedded/run-scope.ts'
import type { RequestFailure } from '../../triggers/serve/answer-failure.ts'
import type { DeliveryAnswer } from '../../triggers/serve/hook-routes.ts'
import type { CommandContext } from '../context.ts'
import { chooseLogLevel } from '../log-level.ts'
import { createLogger } from '../logger.ts'
import { learnFromEvent, sensitiveIn } from '../record/learn-secrets.ts'

/** What `serve` tells of its work, as JSON lines on stderr. Nothing in it holds a secret. */
export interface ServeLog {
  readonly logger: Logger | undefined
  readonly mask: Pick<Mask, 'text'>
  maskValue<T extends JsonValue>(value: T): T
  hide(secret: string): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  answered(answer: DeliveryAnswer): void
  /** A request failed here. Its sender has the id alone. */
  failed(failure: RequestFailure): void
  /** A trigger has more events than it may start runs. */
  startLimit(startLimit: ReachedStartLimit): void
  /** So many times of a schedule were not started in time. */
  missed(schedule: string, times: number, fields?: object): void
  refusedRun(runId: string, error: unknown): void
  /** A run is not continued here. */
  leftAlone(run: UnownedRun, reason: string): void
  /** What happens in a run; from then on what it has marked sensitive is hidden. */
  ofRun(runId: string, runbook: string, begin: RunBegin): (event: TimedRunEvent) => void
  /** The run is over: what only it has marked sensitive is nowhere any more. */
  forgetRun(runId: string): void
}

/** Whether a run is new, or goes on. */
export type RunBegin = 'started' | 'resumed'

const failedText = 'request failed'

/** Between two lines about deliveries that were refused: whoever sends thousands fills no disk. */
const refusalsEveryMs = 1000

export async function createServeLog(context: CommandContext): Promise<ServeLog> {
  const mask = createMask()
  const ofRuns = new Map<string, Mask>()
  // One for each run: in the end they would hold everything that was ever sensitive.
  const text = (given: string): string =>
    [...ofRuns.values()].reduce((shown, one) => one.text(shown), mask.text(given))
  const logger = await createLogger(chooseLogLevel(context, 'info'), context.io, { text })
  let lastRefusalMs = Number.NEGATIVE_INFINITY
  let unsaid = 0
  const refused = (fields: object): void => {
    const now = Date.now()
    if (now - lastRefusalMs < refusalsEveryMs) {
      unsaid++
      return
    }
    lastRefusalMs = now
    logger?.warn({ ...fields, ...(unsaid > 0 ? { more_before: unsaid } : {}) }, 'delivery refused')
    unsaid = 0
  }
  return {
    logger,
    mask: { text },
    hide: mask.hide,
    // What is masked keeps its shape.
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
        // Where the mask fails, nothing of the cause can be shown.
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
      logger?.warn({ run: runId, code, reason: message }, 'run not begun')
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
