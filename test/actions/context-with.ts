import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { type Action, type ActionContext, type JsonObject, RunbookError } from 'opsbook'
import { onTestFinished } from 'vitest'
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

/** Runs an action as a step does: for its output, or for its failure. */
export function runnerOf(action: Action) {
  return {
    run: async (input: JsonObject, changes: Partial<ActionContext> = {}): Promise<JsonObject> =>
      (await action.run(input, contextWith(changes))).output as JsonObject,
    async failureOf(input: JsonObject, changes: Partial<ActionContext> = {}): Promise<RunbookError> {
      const error: unknown = await action.run(input, contextWith(changes)).catch((thrown: unknown) => thrown)
      if (RunbookError.is(error)) return error
      throw new Error(`no failure: ${inspect(error)}`)
    },
  }
}

/** A new empty folder that goes away with the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'action-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
