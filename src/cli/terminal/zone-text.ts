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
