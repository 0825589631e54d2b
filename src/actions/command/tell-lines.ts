import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'
import type { ActionContext } from '../action.ts'

/** What a command writes, told while it runs. */
export interface LineTeller {
  /** Takes what one of its streams goes on with. */
  stream(): (chunk: Buffer) => void
  /** The command has ended: the rest is told if anything was. */
  end(): void
}

/** A command that ends within this time is told by its outputs alone. */
const everyMs = 1000
/** Of one command: a flood is cut, and counted. */
const mostLines = 1000
/** In characters. */
const longestLine = 1000

/**
 * Tells the lines that a command writes in the log of its run, once a second, from its first second on. Without secrets,
 * also those that fill several lines.
 */
export function createLineTeller({ log, mask }: Pick<ActionContext, 'log' | 'mask'>): LineTeller {
  let waiting: string[] = []
  let isTold = false
  let hasEnded = false
  let taken = 0
  let leftOut = 0
  let timer: NodeJS.Timeout | undefined
  const tell = (): void => {
    timer = undefined
    if (waiting.length > 0) for (const line of mask.text(waiting.join('\n')).split('\n')) log('info', line)
    isTold = true
    waiting = []
  }
  const take = (line: string): void => {
    // What a progress bar has drawn over is gone for its readers, too.
    const ended = line.replace(/\r+$/, '')
    const drawn = stripVTControlCharacters(ended.slice(ended.lastIndexOf('\r') + 1)).trimEnd()
    if (drawn === '' || hasEnded) return
    taken++
    if (taken > mostLines) leftOut++
    else waiting.push(drawn.length > longestLine ? `${drawn.slice(0, longestLine)}…` : drawn)
    timer ??= setTimeout(tell, everyMs).unref()
  }
  return {
    stream() {
      const decoder = new StringDecoder('utf8')
      let rest = ''
      return (chunk) => {
        const lines = (rest + decoder.write(chunk)).split('\n')
        rest = (lines.pop() ?? '').slice(-longestLine)
        for (const line of lines) take(line)
      }
    },
    end() {
      hasEnded = true
      clearTimeout(timer)
      if (isTold) tell()
      if (isTold && leftOut > 0) log('warn', `${leftOut} more lines were written than are told`)
    },
  }
}
