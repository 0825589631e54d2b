import { wholeSecondsText } from '../../../view/text/index.ts'

export { countText, durationText, failedItemsText, sizeText } from '../../../view/text/index.ts'

/** The time until something, rounded up, so that it counts down to `1s` and never shows `0s` too early. */
export function countdownText(milliseconds: number): string {
  return wholeSecondsText(Math.max(0, Math.ceil(milliseconds / 1000)))
}

/** The time of day in the zone of this machine: `14:03:07`. Swedish writes it so. */
export function clockText(milliseconds: number): string {
  return new Date(milliseconds).toLocaleTimeString('sv')
}

/** The zone of this machine at that time: `Z`, or its distance from UTC such as `-05:00`. */
export function zoneText(milliseconds: number): string {
  const minutes = -new Date(milliseconds).getTimezoneOffset()
  if (minutes === 0) return 'Z'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}

/** The day in the zone of this machine: `2026-11-21`. Swedish writes it so. */
export function dayText(milliseconds: number): string {
  return new Date(milliseconds).toLocaleDateString('sv')
}

/** A day, a time of day and the zone they are in: `2026-11-21 14:03:07-05:00`, `2026-11-21 19:03:07Z`. */
export function momentText(milliseconds: number): string {
  return `${dayText(milliseconds)} ${clockText(milliseconds)}${zoneText(milliseconds)}`
}

/** Writes times as the clocks of a zone show them, such as `Mon 2026-11-23 08:00 GMT+1`. */
export function createZoneText(timeZone: string): (time: Date) => string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
  })
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]))
    const { weekday, year, month, day, hour, minute, second, timeZoneName } = parts
    const clock = second === '00' ? `${hour}:${minute}` : `${hour}:${minute}:${second}`
    return `${weekday} ${year}-${month}-${day} ${clock} ${timeZoneName?.replace(/^GMT(\+0)?$/, 'UTC')}`
  }
}
