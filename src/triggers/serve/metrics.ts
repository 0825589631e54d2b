/** Numbers that add up, or that stand for now, as Prometheus reads them. */

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
  /** A number that is asked for when somebody looks. */
  gauge(name: string, help: string, read: () => number): void
  /** All of them, in the text of Prometheus. */
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
