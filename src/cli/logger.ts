import type { Logger } from 'pino'
import type { Io } from './io.ts'
import type { LogLevel } from './log-level.ts'
import type { Mask } from '../core/mask/mask.ts'

/** A logger of JSON lines on stderr, every line of which passes the mask; undefined where nothing is logged. */
export async function createLogger(
  level: LogLevel,
  io: Io,
  mask: Mask,
  facts: () => object = () => ({}),
): Promise<Logger | undefined> {
  if (level === 'silent') return undefined
  const { pino, stdTimeFunctions } = await import('pino')
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: facts,
    },
    { write: (line) => io.stderr.write(mask.text(line)) },
  )
}
