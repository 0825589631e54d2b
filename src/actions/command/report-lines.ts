import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'
import { keepNewest } from '../../core/keep-newest.ts'
import type { ActionContext } from '../action.ts'

/** Reports the lines of a command while it runs. */
export interface LineReporter {
  /** Takes the next bytes of one of its streams. */
  stream(): (chunk: Buffer) => void
  /** The command has ended: the rest is reported if it ran for more than a second. */
  end(): void
}

/** A command that ends within this time is shown by its outputs alone. */
const everyMs = 1000
/** Of one command, from its beginning: a flood is cut in its middle, and counted. */
const mostLines = 1000
/** Of a flood, from its end: it says why the command failed. */
const mostLast = 100
/** In characters. */
const longestLine = 1000

/**
 * Reports the lines that a command writes in the log of its run, once a second, from its first second on. Without secrets,
 * also those that fill several lines.
 */
export function createLineReporter({ log, mask }: Pick<ActionContext, 'log' | 'mask'>): LineReporter {
  const rests: (() => string)[] = []
  let waiting: string[] = []
  let isLong = false
  let hasEnded = false
  let taken = 0
  let leftOut = 0
  // With as many characters before those that are shown as the longest secret can reach over.
  let last: readonly string[] = []
  let newer: string[] = []
  let newerSize = 0
  const mostKept = (mostLast + 1) * (longestLine + mask.reach())
  const report = (): void => {
    isLong = true
    // Masked before they are cut: no mask finds a part of a secret.
    const lines = waiting.length === 0 ? [] : mask.text(waiting.join('\n')).split('\n')
    waiting = []
    writeLines(lines)
  }
  const writeLines = (lines: readonly string[]): void => {
    for (const line of lines) log('info', line.length > longestLine ? `${line.slice(0, longestLine)}…` : line)
  }
  const keepLast = (line: string): void => {
    newer.push(line)
    newerSize += line.length + 1
    if (newerSize > mostKept) keepBounded()
  }
  const keepBounded = (): void => {
    last = keepNewest([...last, ...newer], mostKept, ({ length }) => length + 1)
    newer = []
    newerSize = 0
  }
  const reportLast = (): void => {
    keepBounded()
    const [shown, kept] = [last.slice(0, -leftOut).join('\n'), last.slice(-leftOut).join('\n')]
    const masked = mask.text(kept)
    // No secret is across the place where the end follows the beginning.
    const isApart =
      shown.length >= mask.reach() && mask.text(`${shown}\n${kept}`) === `${mask.text(shown)}\n${masked}`
    const whole = masked.split('\n')
    let length = 0
    // The first characters may be the end of a secret whose beginning is gone.
    const from = whole.findIndex((line) => {
      if (isApart) return true
      length += line.length + 1
      return length - line.length > mask.reach()
    })
    const lines = from < 0 ? [] : whole.slice(from).slice(-mostLast)
    const between = leftOut - lines.length
    if (between > 0) log('warn', `${between} lines are left out here`)
    writeLines(lines)
  }
  const timer = setInterval(report, everyMs).unref()
  const take = (line: string): void => {
    // What a progress bar has drawn over is gone for its readers, too.
    const ended = line.replace(/\r+$/, '')
    const drawn = stripVTControlCharacters(ended.slice(ended.lastIndexOf('\r') + 1)).trimEnd()
    if (drawn === '' || hasEnded) return
    taken++
    if (taken <= mostLines) waiting.push(drawn)
    else leftOut++
    keepLast(drawn)
  }
  /** The beginning of a line that is too long: what may be the beginning of a secret is left out at its end. */
  const bounded = (line: string): string => {
    const most = longestLine + mask.reach()
    if (line.length <= most) return line
    const masked = mask.text(line.slice(0, most))
    return `${masked.slice(0, Math.min(longestLine, masked.length - mask.reach()))}…`
  }
  return {
    stream() {
      const decoder = new StringDecoder('utf8')
      let rest = ''
      rests.push(() => bounded(rest + decoder.end()))
      return (chunk) => {
        const lines = (rest + decoder.write(chunk)).split('\n')
        // One character more says that there was more.
        rest = (lines.pop() ?? '').slice(0, longestLine + mask.reach() + 1)
        for (const line of lines) take(bounded(line))
      }
    },
    end() {
      clearInterval(timer)
      for (const rest of rests) take(rest())
      hasEnded = true
      if (isLong) report()
      if (isLong && leftOut > 0) reportLast()
    },
  }
}
