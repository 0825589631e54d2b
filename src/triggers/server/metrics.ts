import type { RunStatus, TimedRunEvent } from '../../core/events.ts'
import type { DeliveryAnswer } from './delivery-answer.ts'

/** Counters, histograms and gauges in the text format of Prometheus. */

type Labels = Readonly<Record<string, string>>

/** A number that only grows, for each set of labels. */
export interface Counter {
  add(labels: Labels, by?: number): void
}

/** How values are spread, for each set of labels. */
export interface Histogram {
  observe(labels: Labels, value: number): void
}

export interface Metrics {
  counter(name: string, help: string): Counter
  histogram(name: string, help: string, bounds: readonly number[]): Histogram
  /** A number that is read for each scrape. */
  gauge(name: string, help: string, read: () => number): void
  /** All metrics in the text format of Prometheus. */
  text(): string
}

export function createMetrics(): Metrics {
  const families: (() => readonly string[])[] = []
  const head = (name: string, kind: string, help: string): readonly string[] => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${kind}`,
  ]
  return {
    counter(name, help) {
      const values = new Map<string, number>()
      families.push(() => [
        ...head(name, 'counter', help),
        ...[...values].map(([labels, value]) => `${name}${labels} ${value}`),
      ])
      return {
        add(labels, by = 1) {
          const key = written(labels)
          values.set(key, (values.get(key) ?? 0) + by)
        },
      }
    },
    histogram(name, help, bounds) {
      const spreads = new Map<string, Spread>()
      families.push(() => [
        ...head(name, 'histogram', help),
        ...[...spreads.values()].flatMap((spread) => spreadLines(name, bounds, spread)),
      ])
      return {
        observe(labels, value) {
          const key = written(labels)
          const spread = spreads.get(key) ?? { labels, counts: bounds.map(() => 0), count: 0, sum: 0 }
          spreads.set(key, spread)
          spread.count++
          spread.sum += value
          for (const [index, bound] of bounds.entries())
            if (value <= bound) spread.counts[index] = (spread.counts[index] ?? 0) + 1
        },
      }
    },
    gauge(name, help, read) {
      families.push(() => [...head(name, 'gauge', help), `${name} ${read()}`])
    },
    text: () => `${families.flatMap((lines) => lines()).join('\n')}\n`,
  }
}

interface Spread {
  readonly labels: Labels
  readonly counts: number[]
  count: number
  sum: number
}

function spreadLines(name: string, bounds: readonly number[], spread: Spread): readonly string[] {
  const { labels, counts, count, sum } = spread
  return [
    ...bounds.map(
      (bound, index) => `${name}_bucket${written({ ...labels, le: String(bound) })} ${counts[index]}`,
    ),
    `${name}_bucket${written({ ...labels, le: '+Inf' })} ${count}`,
    `${name}_sum${written(labels)} ${sum}`,
    `${name}_count${written(labels)} ${count}`,
  ]
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
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
