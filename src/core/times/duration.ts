const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A hundred years: what begins now and takes as long ends at a time that can be written. */
const longestMs = 36_500 * 86_400_000

/** Milliseconds of `500ms`, `30s`, `15m`, `2h`, `7d`. Undefined for anything else, and for over 36500 days. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text)
  if (!match) return undefined
  const ms = Number(match[1]) * (unitMs[match[2] ?? ''] ?? Number.NaN)
  return ms <= longestMs ? ms : undefined
}

/** Milliseconds as a runbook would write them, in the largest unit that fits: `75s`, `2m`, `1500ms`. */
export function formatDuration(ms: number): string {
  const unit = ['d', 'h', 'm', 's'].find(
    (name) => ms >= (unitMs[name] ?? 0) && ms % (unitMs[name] ?? 1) === 0,
  )
  return unit === undefined ? `${ms}ms` : `${ms / (unitMs[unit] ?? 1)}${unit}`
}
