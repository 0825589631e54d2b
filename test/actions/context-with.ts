import type { ActionContext } from 'opsbook'
import { createMask } from '../../src/core/mask/mask.ts'

/** What an action is given for one attempt in a test. */
export function contextWith(changes: Partial<ActionContext> = {}): ActionContext {
  return {
    connect: () => Promise.reject(new Error('nothing here has a connection')),
    artifacts: { folder: '/', fileFor: async (name) => name },
    signal: new AbortController().signal,
    signalBeforeSending: new AbortController().signal,
    attempt: 1,
    onWait: () => {},
    onWaitOver: () => {},
    beforeSending: async () => {},
    log() {},
    mask: createMask(),
    hide: () => {},
    ...changes,
  }
}
