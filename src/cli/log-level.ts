import { CommandError } from './command-error.ts'
import type { CommandContext } from './context.ts'
import { exitCodes } from './exit-codes.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** How much is logged. */
export type LogLevel = (typeof levels)[number]

/** Asked for by `OPSBOOK_LOG_LEVEL`, else by `--verbose`, else what the command does on its own. */
export function chooseLogLevel({ io, isVerbose }: CommandContext, otherwise: LogLevel): LogLevel {
  const asked = io.env['OPSBOOK_LOG_LEVEL']
  if (!asked) return isVerbose ? 'debug' : otherwise
  const level = levels.find((name) => name === asked.toLowerCase())
  if (level) return level
  throw new CommandError(exitCodes.usage, `OPSBOOK_LOG_LEVEL is "${asked}", which is no level`, {
    hints: [`known: ${levels.join(', ')}`],
  })
}
