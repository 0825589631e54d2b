import type { Logger } from 'pino'
import { type Masking, notShown } from '../core/mask/mask.ts'
import type { Io } from './io.ts'
import type { LogLevel } from './log-level.ts'

/**
 * A logger of JSON lines on stderr, every line of which passes the mask; undefined where nothing is logged. To log never
 * throws: whoever logs has something more important to do.
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
          // There is nowhere to say it.
        }
      },
    },
  )
}
