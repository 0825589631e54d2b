import { plainJson } from '../../api/plain-json.ts'
import type { ActionLog } from '../action.ts'

/** A log that takes whatever an action passes in: what JSON cannot hold is left out. */
export function safeLog(log: ActionLog): ActionLog {
  const line =
    (level: keyof ActionLog): ActionLog[keyof ActionLog] =>
    (message, data) =>
      log[level](String(message), data === undefined ? undefined : plainJson(data).value)
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}
