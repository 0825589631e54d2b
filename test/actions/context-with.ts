import type { ActionContext } from 'opsbook'
import { createClient } from 'opsbook/api'

/** What an action is given for one attempt in a test. */
export function contextWith(changes: Partial<ActionContext> = {}): ActionContext {
  return {
    client: createClient({ baseUrl: 'http://127.0.0.1:1', appKey: 'unused' }),
    artifacts: { folder: '/', fileFor: async (name) => name },
    signal: new AbortController().signal,
    signalBeforeSending: new AbortController().signal,
    attempt: 1,
    onWait: () => {},
    log: { debug() {}, info() {}, warn() {}, error() {} },
    ...changes,
  }
}
