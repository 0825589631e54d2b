import type { LogLevel } from '../events.ts'
import { type CoreStep, done } from './core-step.ts'

const levels: readonly string[] = ['debug', 'info', 'warn', 'error'] satisfies readonly LogLevel[]

/** Writes a line to the log of the run. */
export const log: CoreStep = async ({ path, input, frame }) => {
  const { message, level, data } = input
  frame.host.report({
    type: 'logged',
    path,
    level: levels.includes(String(level)) ? (level as LogLevel) : 'info',
    message: typeof message === 'string' ? message : JSON.stringify(message ?? null),
    ...(data === undefined ? {} : { data }),
  })
  return done
}
