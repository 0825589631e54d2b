import { readPatternTime } from './time-pattern.ts'

/** The names that RFC 822 gives. Others, such as CET, are read in more than one way. */
const zones: Readonly<Record<string, string>> = {
  GMT: 'Z',
  UT: 'Z',
  UTC: 'Z',
  Z: 'Z',
  EST: '-0500',
  EDT: '-0400',
  CST: '-0600',
  CDT: '-0500',
  MST: '-0700',
  MDT: '-0600',
  PST: '-0800',
  PDT: '-0700',
}

/** An old form of HTTP headers, with two digits of the year: `Sunday, 06-Nov-94 08:49:37 GMT`. */
const oldForm = /^[a-z]+day, (\d\d)-([a-z]{3})-(\d\d) (\d\d:\d\d:\d\d GMT)$/i

/** Milliseconds of a time as mails and HTTP headers write it: `Wed, 01 Jul 2026 08:05:00 GMT`. */
export function readMailTime(text: string): number | undefined {
  const whole = text.replace(
    oldForm,
    (_, day: string, month: string, year: string, rest: string) =>
      `${day} ${month} ${year < '50' ? 20 : 19}${year} ${rest}`,
  )
  const match = /^(?:[a-z]{3}, *)?(\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::\d\d)?) ([a-z]+|[+-]\d{4})$/i.exec(
    whole,
  )
  const [, moment = '', name = ''] = match ?? []
  const offset = zones[name.toUpperCase()] ?? name
  const seconds = moment.split(':').length === 3 ? ':ss' : ''
  const found = readPatternTime(`${moment} ${offset}`, `d MMM yyyy HH:mm${seconds} XXX`)
  return found && found.localMs - (found.offsetMs ?? 0)
}
