/** A point in time on the calendar of UTC, or of a time zone. */
export interface CalendarTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/i

/** Milliseconds of a time such as `2026-01-31T08:00:00Z`; undefined for any other text, and for 30 February. */
export function readTime(text: string): number | undefined {
  const match = rfc3339.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, ...number[]]
  const millisecond = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const fields = { year, month, day, hour, minute, second, millisecond } as CalendarTime
  const [hours, minutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  const localMs = hours > 23 || minutes > 59 ? undefined : readCalendar(fields)
  const offsetMs = (hours * 60 + minutes) * 60_000 * (match[8] === '-' ? -1 : 1)
  return localMs === undefined ? undefined : localMs - offsetMs
}

/** The time in UTC, with milliseconds only where it has some; undefined outside of the years 1 to 9999. */
export function writeTime(ms: number): string | undefined {
  const isWritable = ms >= firstMs && ms <= lastMs
  return isWritable ? dateOf(Math.floor(ms)).toISOString().replace('.000Z', 'Z') : undefined
}

const firstMs = -62_135_596_800_000
const lastMs = 253_402_300_799_999

/** A recorded time in UTC, always with milliseconds. */
export function recordedTime(ms: number): string {
  return dateOf(ms).toISOString()
}

/** The milliseconds of a calendar time in UTC; undefined where the calendar has no such day or hour. */
export function readCalendar(time: CalendarTime): number | undefined {
  const { year, month, day, hour, minute, second, millisecond } = time
  const date = dateOf(0)
  // Not Date.UTC: it takes the year 25 for 1925.
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, millisecond)
  const isReal =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() + 1 === month &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second &&
    date.getUTCMilliseconds() === millisecond
  return isReal && year >= 1 ? date.getTime() : undefined
}

/** The calendar time in UTC. */
export function writeCalendar(ms: number): CalendarTime {
  const date = dateOf(ms)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
  }
}

/** 1 for Monday to 7 for Sunday, of a calendar time. */
export function weekdayOfCalendar(ms: number): number {
  return dateOf(ms).getUTCDay() || 7
}

// biome-ignore lint/style/noRestrictedGlobals: the type
function dateOf(ms: number): Date {
  // biome-ignore lint/style/noRestrictedGlobals: computes with a given time, and reads no clock
  return new Date(ms)
}
