/**
 * Time zones by their IANA names. Of Node's `Intl` only the zones are used, and no words of a language. Every engine
 * has it, workflow code too; its rules are those of the Node version.
 */
import { nearest } from '../text/nearest.ts'
import { readCalendar } from './calendar.ts'

/** What is wrong with the name of a time zone. A plain offset is no zone. */
export function zoneProblem(name: string): { readonly message: string; readonly hint: string } | undefined {
  // biome-ignore lint/style/noRestrictedGlobals: the names of zones do not depend on a locale
  const known = [...Intl.supportedValuesOf('timeZone'), 'UTC']
  if (known.includes(name)) return undefined
  // A name that only its case makes wrong is right here, and wrong on machines whose zones are files.
  const inLowerCase = name.toLowerCase()
  const right = known.find((zone) => zone.toLowerCase() === inLowerCase)
  if (right === undefined && formatOf(name)) return undefined
  const near = right ?? known.find((zone) => zone.endsWith(`/${name}`)) ?? nearest(name, known)
  const hint = near === undefined ? 'an IANA name, such as Europe/Berlin' : `did you mean "${near}"?`
  return { message: `there is no time zone "${name}"`, hint }
}

/** How far a zone's clocks are ahead of UTC at a time; undefined for what is no zone. */
export function zoneOffsetMs(zone: string, ms: number): number | undefined {
  if (zone === 'UTC') return 0
  const format = formatOf(zone)
  if (!format) return undefined
  const wholeMs = Math.floor(ms / 1000) * 1000
  const parts: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(wholeMs)) parts[type] = Number(value)
  const { year = 1, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  const localMs = readCalendar({ year, month, day, hour, minute, second, millisecond: 0 }) ?? wholeMs
  return localMs - wholeMs
}

/**
 * The time at which a zone's clocks show a local time, given as if it were UTC. Of two such times it is the first. A
 * local time that the clocks skip is read with the offset from before the change.
 */
export function timeInZone(zone: string, localMs: number): number | undefined {
  const dayMs = 86_400_000
  const [before, after] = [zoneOffsetMs(zone, localMs - dayMs), zoneOffsetMs(zone, localMs + dayMs)]
  if (before === undefined || after === undefined) return undefined
  const candidates = before === after ? [localMs - before] : [localMs - before, localMs - after]
  const shown = candidates.filter((ms) => ms + (zoneOffsetMs(zone, ms) ?? 0) === localMs)
  return shown.length === 0 ? candidates[0] : Math.min(...shown)
}

// biome-ignore lint/style/noRestrictedGlobals: a type only
const formats = new Map<string, Intl.DateTimeFormat>()
/** How many zones are kept once their rules have been read. */
export const mostZonesKept = 50

// biome-ignore lint/style/noRestrictedGlobals: a type only
function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone)
  if (known) return known
  if (!/^[A-Z][A-Za-z_]*(\/[A-Za-z0-9_+-]+)*$/.test(zone)) return undefined
  try {
    // biome-ignore lint/style/noRestrictedGlobals: numbers only, in the one locale
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    if (formats.size >= mostZonesKept) formats.clear()
    formats.set(zone, format)
    return format
  } catch {
    return undefined
  }
}
