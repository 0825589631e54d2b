/** A length of time for people: `0.2s`, `12s`, `1m 05s`, `2h 03m`, `3d 04h`. From 10 seconds on, parts of a second are cut off. */
export function durationText(milliseconds: number): string {
  const tenths = Math.max(0, Math.round(milliseconds / 100))
  if (tenths < 100) return `${(tenths / 10).toFixed(1)}s`
  return wholeSecondsText(Math.floor(tenths / 10))
}

/** Whole seconds for people: `12s`, `1m 05s`. */
export function wholeSecondsText(seconds: number): string {
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return pair(seconds, 60, 'm', 1, 's')
  if (seconds < 86_400) return pair(seconds, 3600, 'h', 60, 'm')
  return pair(seconds, 86_400, 'd', 3600, 'h')
}

function pair(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % large) / small)
  return `${Math.floor(seconds / large)}${largeUnit} ${String(rest).padStart(2, '0')}${smallUnit}`
}

/** How many of something there are: `1 item`, `2 items`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** How many items of a loop or batch failed: `5 of 20 items failed`. */
export function failedItemsText({
  failed,
  total,
}: {
  readonly failed: number
  readonly total: number
}): string {
  return `${failed} of ${total} items failed`
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** A number of bytes for people, in thousands: `512 B`, `1.2 kB`, `84 MB`. */
export function sizeText(bytes: number): string {
  const steps = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const size = bytes / 1000 ** steps
  return `${steps === 0 || size >= 99.95 ? Math.round(size) : size.toFixed(1)} ${units[steps]}`
}
