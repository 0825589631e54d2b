import type { LogLevel } from '../events.ts'
import { type CoreStep, done } from './core-step.ts'

/** Writes a line to the log of the run. */
export const log: CoreStep = async ({ path, input, frame }) => {
  const { message, level = 'info', data } = input
  frame.host.report({
    type: 'logged',
    path,
    level: level as LogLevel,
    message: String(message),
    ...(data === undefined ? {} : { data }),
  })
  return done
}
