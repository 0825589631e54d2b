import { callbackHook } from '../../src/core/hooks/callbacks.ts'
import type { CallbackSettings } from '../../src/engine/record/index.ts'
import type { ScriptedEvent } from './run-case.ts'

/** What the addresses of callbacks are made with in all cases. */
export const callbacks: CallbackSettings = { publicUrl: 'https://ops.test', key: 'k'.repeat(32) }

/** The public address of the console in all cases. */
export const consoleUrl = 'https://console.test/'

/** The name under which an event of a case is recorded. */
export function hookOf({ hook = '', callback }: ScriptedEvent, runId: string): string {
  return callback === undefined ? hook : callbackHook(runId, callback)
}
