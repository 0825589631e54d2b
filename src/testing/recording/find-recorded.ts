import { shownInput } from '../../core/calls/index.ts'
import type { CallRequest } from '../../core/host/index.ts'
import { isSameJson, type JsonObject } from '../../core/json.ts'
import { stepAddressOfCall, stepPathOf } from '../../core/plan/index.ts'
import { type PlanIndex, plannedAction } from '../../core/record/index.ts'
import { nearest } from '../../core/text/index.ts'
import type { WorldAnswer } from '../host/scripted-world.ts'
import { firstDifference } from '../play/match.ts'
import type { RecordedCall, Recording } from './recording.ts'

/** A recorded call; or the nearest one, and how the call differs from it. */
export type FoundCall =
  | { readonly kind: 'held'; readonly call: RecordedCall }
  | { readonly kind: 'not-held'; readonly nearest: readonly string[] }

/**
 * Finds the recorded result of an attempt: of the same step with the same arguments, at the same path if it can be. So a
 * loop may go through its items in another order. After the recorded attempts the last one repeats.
 */
export function findRecorded(recording: Recording, request: CallRequest, input: JsonObject): FoundCall {
  const { path, attempt, action } = request
  const step = stepPathOf(path)
  const ofStep = recording.calls.filter((call) => call.action === action && stepPathOf(call.path) === step)
  const equal = ofStep.filter((call) => call.input === undefined || isSameJson(call.input, input))
  const chosen =
    equal.find((call) => call.path === path) ??
    equal.find((call) => suffixOf(call.path) === suffixOf(path)) ??
    equal.at(-1)
  if (chosen) {
    const attempts = equal.filter((call) => call.path === chosen.path)
    const call = attempts.findLast((one) => one.attempt <= attempt) ?? chosen
    return { kind: 'held', call }
  }
  return { kind: 'not-held', nearest: nearestLines(recording, request, input, ofStep) }
}

function nearestLines(
  { calls }: Recording,
  { path }: CallRequest,
  input: JsonObject,
  ofStep: readonly RecordedCall[],
): readonly string[] {
  const near = ofStep.find((call) => call.path === path) ?? ofStep[0]
  if (!near?.input) {
    const name = nearest(path, new Set(calls.map((call) => call.path)))
    return [name === undefined ? 'it holds no similar call' : `the nearest call is ${name}`]
  }
  const { input: recorded, attempt } = near
  const place = `the nearest call is ${near.path}#${attempt}`
  const difference = firstDifference(input, recorded) ?? firstDifference(recorded, input)
  if (!difference) return [place]
  const at = difference.path.join('.') || 'the arguments'
  return [`${place}: ${at} ${difference.message.replace(', expected ', ', recorded ')}`]
}

/** The poll or the group of a call in its step. */
function suffixOf(path: string): string {
  return path.slice(stepAddressOfCall(path).length)
}

/** The arguments of a call as recordings hold them and tests compare them. */
export function inputAsShown(index: PlanIndex, request: CallRequest): JsonObject {
  return shownInput(request.input, plannedAction(index, request)?.sensitiveInput, request.secrets)
}

/** The result of a recorded call. */
export function answerOfRecording({
  output = {},
  error,
  takes_ms: takesMs = 0,
}: Partial<RecordedCall>): WorldAnswer {
  const result: WorldAnswer['result'] = error ? { status: 'failed', error } : { status: 'succeeded', output }
  return { result, takesMs, waitsMs: 0 }
}
