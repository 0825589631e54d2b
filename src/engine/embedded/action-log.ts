import type { ActionLog } from '../../actions/action.ts'
import type { LogLevel, RunEvent } from '../../core/events.ts'

/** The log of one attempt: every line is an event of the run. */
export function createActionLog(path: string, attempt: number, report: (event: RunEvent) => void): ActionLog {
  const at =
    (level: LogLevel): ActionLog[LogLevel] =>
    (message, data) =>
      report({ type: 'logged', path, attempt, level, message, ...(data === undefined ? {} : { data }) })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
