import { createRandom } from '../ids.ts'

export type Labels = Readonly<Record<string, string>>

/** A time series of the sandbox's Prometheus. */
export interface Series {
  readonly labels: Labels
  /** How much it rises each second; for counters. */
  readonly perSecond: number
  valueAt(seconds: number): number
}

const instances = ['web-01', 'disk-01', 'db-01', 'down-01']

/** The series of a metric; the same seed, the same curves. An unknown metric has none. */
export function seriesOf(metric: string, seed: string): readonly Series[] {
  return labelSets(metric).map((labels) => {
    const random = createRandom(`${seed}/${metric}/${JSON.stringify(labels)}`)
    const phase = random() * Math.PI * 2
    const wave = (seconds: number): number => Math.sin(seconds / 600 + phase)
    return curveOf(metric, labels, random(), wave)
  })
}

function labelSets(metric: string): readonly Labels[] {
  const node = (instance: string, more: Labels = {}): Labels => ({
    __name__: metric,
    instance: `${instance}:9100`,
    job: 'node',
    ...more,
  })
  const live = instances.filter((instance) => instance !== 'down-01')
  switch (metric) {
    case 'up':
      return instances.map((instance) => node(instance))
    case 'node_load1':
    case 'node_memory_MemAvailable_bytes':
      return live.map((instance) => node(instance))
    case 'node_filesystem_avail_bytes':
      return live.flatMap((instance) => ['/', '/data'].map((mountpoint) => node(instance, { mountpoint })))
    case 'http_requests_total':
      return ['200', '404', '500'].map((code) => node('web-01', { job: 'checkout', code }))
    default:
      return []
  }
}

function curveOf(metric: string, labels: Labels, share: number, wave: (seconds: number) => number): Series {
  const gauge = (middle: number, swing: number): Series => ({
    labels,
    perSecond: 0,
    valueAt: (seconds) => middle + swing * wave(seconds),
  })
  switch (metric) {
    case 'up':
      return gauge(labels['instance'] === 'down-01:9100' ? 0 : 1, 0)
    case 'node_load1':
      return gauge(1 + share, 0.6)
    case 'node_memory_MemAvailable_bytes':
      return gauge(Math.round(4e9 + 4e9 * share), 5e8)
    case 'node_filesystem_avail_bytes': {
      const isSick = labels['instance'] === 'disk-01:9100' && labels['mountpoint'] === '/data'
      return gauge(isSick ? 1.3e10 : 2e11 + 1e11 * share, 1e9)
    }
    default: {
      const perSecond = labels['code'] === '200' ? 40 + 10 * share : 0.2 * share
      return { labels, perSecond, valueAt: (seconds) => Math.floor(perSecond * (seconds - 1_767_225_600)) }
    }
  }
}
