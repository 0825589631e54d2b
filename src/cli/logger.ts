import type { Logger } from 'pino'
import { type Masking, notShown } from '../core/mask/mask.ts'
import type { Io } from './io.ts'
import type { LogLevel } from './log-level.ts'

/**
 * A logger of JSON lines on stderr that masks every line; undefined where nothing is logged. A log call never throws, so
 * that it cannot fail a request or a run.
 */
export async function createLogger(
  level: LogLevel,
  io: Io,
  mask: Pick<Masking, 'text'>,
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
    {
      write(line) {
        const shown = mask.text(line)
        try {
          io.stderr.write(
            shown === notShown ? `${JSON.stringify({ level: 'error', msg: notShown })}\n` : shown,
          )
        } catch {
          // No other stream could report it.
        }
      },
    },
  )
}
