import { readPatternTime } from '../time-pattern.ts'

const zones: Readonly<Record<string, string>> = { GMT: 'Z', UT: 'Z', UTC: 'Z', Z: 'Z' }

/** Milliseconds of a time as mails and HTTP headers write it: `Wed, 01 Jul 2026 08:05:00 GMT`. */
export function readMailTime(text: string): number | undefined {
  const match = /^(?:[a-z]{3}, *)?(\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::\d\d)?) ([a-z]+|[+-]\d{4})$/i.exec(
    text,
  )
  const [, moment = '', name = ''] = match ?? []
  const offset = zones[name.toUpperCase()] ?? name
  const seconds = moment.split(':').length === 3 ? ':ss' : ''
  const found = readPatternTime(`${moment} ${offset}`, `d MMM yyyy HH:mm${seconds} XXX`)
  return found && found.localMs - (found.offsetMs ?? 0)
}
