import type { RunStatus, TimedRunEvent } from '../../core/events.ts'
import type { DeliveryAnswer } from './hook-routes.ts'
import type { Metrics } from './metrics.ts'

/** Counts what `serve` does. */
export interface WorkCounts {
  /** A delivery has been answered. */
  answered(answer: DeliveryAnswer): void
  /** Something has happened in a run. To be made anew for each run. */
  ofRun(): (event: TimedRunEvent) => void
  runEnded(runbook: string, status: RunStatus): void
}

/** In seconds: from an answer of the service to the patience of a person. */
const bounds = [0.05, 0.25, 1, 5, 30, 120, 600, 3600]

const isThrottle: ReadonlySet<string> = new Set(['throttle', 'budget', 'target'])

export function createWorkCounts(metrics: Metrics): WorkCounts {
  const deliveries = metrics.counter('opsbook_deliveries_total', 'Deliveries by hook and HTTP status.')
  const events = metrics.counter('opsbook_events_total', 'Decisions on events by hook, runbook and decision.')
  const runs = metrics.counter('opsbook_runs_total', 'Runs that ended, by runbook and status.')
  const attempts = metrics.counter('opsbook_attempts_total', 'Attempts by action and outcome.')
  const waits = metrics.counter(
    'opsbook_throttle_waits_total',
    'Waits for the limits of the service, by reason.',
  )
  const steps = metrics.histogram('opsbook_step_duration_seconds', 'How long steps took, by action.', bounds)
  return {
    answered(answer) {
      deliveries.add({ hook: answer.hook ?? '', status: String(answer.status) })
      if (!('event' in answer) || answer.event.deliveries > 1) return
      for (const { runbook, because = 'started' } of answer.event.starts)
        events.add({ hook: answer.hook, runbook, decision: because })
    },
    ofRun() {
      const begun = new Map<string, { readonly action: string; readonly atMs: number }>()
      return (event) => {
        if (event.type === 'step_started')
          begun.set(event.path, { action: event.action, atMs: Date.parse(event.at) })
        else if (event.type === 'step_finished') {
          const start = begun.get(event.path)
          begun.delete(event.path)
          if (start) steps.observe({ action: start.action }, (Date.parse(event.at) - start.atMs) / 1000)
        } else if (event.type === 'attempt_started')
          begun.set(`attempt ${event.path}`, { action: event.action, atMs: 0 })
        else if (event.type === 'attempt_succeeded' || event.type === 'attempt_failed') {
          const start = begun.get(`attempt ${event.path}`)
          begun.delete(`attempt ${event.path}`)
          const outcome = event.type === 'attempt_succeeded' ? 'succeeded' : event.error.code
          if (start) attempts.add({ action: start.action, outcome })
        } else if (event.type === 'waiting' && isThrottle.has(event.reason))
          waits.add({ reason: event.reason })
      }
    },
    runEnded: (runbook, status) => runs.add({ runbook, status }),
  }
}
