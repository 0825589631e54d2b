import type { Logger } from 'pino'
import type { Masking } from '../../core/mask/index.ts'
import { showInvisibleInJson } from '../../core/text/index.ts'
import { CommandError } from '../../project/index.ts'
import type { CommandContext } from './context.ts'
import type { Io } from './io.ts'

/**
 * Creates a logger of JSON lines on stderr that masks every line; undefined for the level `silent`. A log call never
 * throws, so that it cannot fail a request or a run.
 */
export async function createLogger(
  level: LoggerLevel,
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
        try {
          io.stderr.write(showInvisibleInJson(mask.text(line)))
        } catch {
          // No other stream could report it.
        }
      },
    },
  )
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** How much is logged. */
export type LoggerLevel = (typeof levels)[number]

/** The log level: from `OPSBOOK_LOG_LEVEL`, else from `--verbose`, else the default of the command. */
export function chooseLogLevel({ io, isVerbose }: CommandContext, otherwise: LoggerLevel): LoggerLevel {
  const asked = io.env['OPSBOOK_LOG_LEVEL']
  if (!asked) return isVerbose ? 'debug' : otherwise
  const level = levels.find((name) => name === asked.toLowerCase())
  if (level) return level
  throw new CommandError('usage', `OPSBOOK_LOG_LEVEL is "${asked}", which is not a log level`, {
    hints: [`known: ${levels.join(', ')}`],
  })
}
