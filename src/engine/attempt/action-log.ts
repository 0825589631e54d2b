import type { ActionLog } from '../../actions/action.ts'
import { plainJson } from '../../api/plain-json.ts'
import type { LogLevel, RunEvent } from '../../core/events.ts'

/** The log of one attempt: every line is an event of the run. */
export function createActionLog(path: string, attempt: number, report: (event: RunEvent) => void): ActionLog {
  const at =
    (level: LogLevel): ActionLog[LogLevel] =>
    (message, data) => {
      const more = data === undefined ? {} : { data: plainJson(data).value }
      // Whatever the types say: these lines come from code that nobody has compiled.
      report({ type: 'logged', path, attempt, level, message: String(message), ...more })
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
