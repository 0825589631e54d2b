import { parseDuration } from '../../core/duration.ts'
import type { CallRequest } from '../../core/host/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { stepAddressOfCall } from '../../core/record/index.ts'
import { type ErrorData, RunbookError } from '../../core/run-error.ts'
import { scriptNames } from '../file/call-paths.ts'
import type { CallScript, ErrorScript, Setting } from '../file/test-file.ts'
import type { WorldAnswer } from '../host/scripted-attempt.ts'

/** The calls of a script. */
export interface ScriptedCalls {
  /** The result of an attempt. Throws `UnscriptedCall`, which ends the run, where the script has none. */
  answer(request: CallRequest): WorldAnswer
  /** The names of the entries that were used. */
  readonly used: ReadonlySet<string>
  /** The first call without a script. */
  readonly unscripted: CallRequest | undefined
}

export function createScriptedCalls(calls: NonNullable<Setting['calls']>): ScriptedCalls {
  const used = new Set<string>()
  /** How many attempts each call has had, polls of one call together. */
  const made = new Map<string, number>()
  let unscripted: CallRequest | undefined
  return {
    used,
    get unscripted() {
      return unscripted
    },
    answer(request) {
      const name = scriptNames(request).find((one) => Object.hasOwn(calls, one))
      const script = name === undefined ? undefined : calls[name]
      if (name !== undefined) used.add(name)
      const own = `${name} ${request.path.replace(/\/poll-\d+/, '')}`
      const count = (made.get(own) ?? 0) + 1
      made.set(own, count)
      const list = Array.isArray(script) ? script : [script]
      const chosen = list[Math.min(count, list.length) - 1] as CallScript | undefined
      const result = chosen ?? writtenHere(request)
      if (result) return toAnswer(result, request)
      unscripted ??= request
      const { path, attempt, action } = request
      throw new RunbookError('UnscriptedCall', `no script for ${path}#${attempt} (${action})`, {
        path,
        endsRun: true,
      })
    },
  }
}

/** `core/write` sends nothing: its file is written without a script. */
function writtenHere({ action }: CallRequest): CallScript | undefined {
  return action === 'core/write' ? { output: {} } : undefined
}

/** What a script may leave out of an answer. */
const usual: Readonly<Record<string, JsonObject>> = {
  'core/http': { status: 200, headers: {}, body: null },
  'core/command': { code: 0, stdout: '', stderr: '' },
}

function toAnswer({ output = {}, error, takes, file }: CallScript, { action }: CallRequest): WorldAnswer {
  const takesMs = parseDuration(takes ?? '0s') ?? 0
  const more = { takesMs, waitsMs: 0, ...(file === undefined ? {} : { file }) }
  if (error !== undefined) return { result: { status: 'failed', error: toError(error) }, ...more }
  return { result: { status: 'succeeded', output: completed(action, output) }, ...more }
}

function completed(action: string, output: JsonValue): JsonValue {
  return isJsonObject(output) && usual[action] ? { ...usual[action], ...output } : output
}

function toError(error: string | ErrorScript): ErrorData {
  const {
    code,
    message,
    status,
    'retry-after': retryAfter,
  } = typeof error === 'string' ? ({ code: error } as ErrorScript) : error
  return {
    code,
    message: message ?? `the script answers with ${code}`,
    ...(status === undefined ? {} : { details: { status } }),
    ...(retryAfter === undefined ? {} : { retryAfterMs: parseDuration(retryAfter) ?? 0 }),
  }
}

/** The three ways to script a call, as YAML. */
export function waysToScript({ path, action }: CallRequest): readonly string[] {
  const address = stepAddressOfCall(path)
  return [
    `calls: { ${address}: { output: { … } } }`,
    `calls: { ${action}: { output: { … } } }`,
    `calls: { ${address}: { error: InternalError } }`,
  ]
}
