import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { RunStatus, TimedRunEvent } from '../../core/events.ts'
import type { DeliveryAnswer } from './delivery-answer.ts'

/** Adds a number that is read for each scrape. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) })
}

/** Counts what `serve` does. */
export interface WorkCounts {
  /** A delivery has been answered. */
  answered(answer: DeliveryAnswer): void
  /** Counts an event of a run. Each run needs a new one. */
  ofRun(): (event: TimedRunEvent) => void
  runEnded(runbook: string, status: RunStatus): void
}

/** Buckets in seconds: from an answer of the service to a wait for a person. */
const bounds = [0.05, 0.25, 1, 5, 30, 120, 600, 3600]

const isThrottle: ReadonlySet<string> = new Set(['throttle', 'budget', 'target'])

export function createWorkCounts(registry: Registry): WorkCounts {
  const counter = <Label extends string>(
    name: string,
    help: string,
    ...labelNames: Label[]
  ): Counter<Label> => new Counter({ name, help, labelNames, registers: [registry] })
  const deliveries = counter(
    'opsbook_deliveries_total',
    'Deliveries by hook and HTTP status.',
    'hook',
    'status',
  )
  const events = counter(
    'opsbook_events_total',
    'Decisions on events by hook, runbook and decision.',
    'hook',
    'runbook',
    'decision',
  )
  const runs = counter('opsbook_runs_total', 'Runs that ended, by runbook and status.', 'runbook', 'status')
  const attempts = counter('opsbook_attempts_total', 'Attempts by action and outcome.', 'action', 'outcome')
  const waits = counter(
    'opsbook_throttle_waits_total',
    'Waits for the limits of the service, by reason.',
    'reason',
  )
  const steps = new Histogram({
    name: 'opsbook_step_duration_seconds',
    help: 'How long steps took, by action.',
    labelNames: ['action'],
    buckets: bounds,
    registers: [registry],
  })
  return {
    answered(answer) {
      deliveries.inc({ hook: answer.hook ?? '', status: String(answer.status) })
      if (!('event' in answer) || answer.event.deliveries > 1) return
      for (const { runbook, because = 'started' } of answer.event.starts)
        events.inc({ hook: answer.hook, runbook, decision: because })
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
          if (start) attempts.inc({ action: start.action, outcome })
        } else if (event.type === 'waiting' && isThrottle.has(event.reason))
          waits.inc({ reason: event.reason })
      }
    },
    runEnded: (runbook, status) => runs.inc({ runbook, status }),
  }
}
