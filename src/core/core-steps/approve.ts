import { parseDuration } from '../duration.ts'
import type { Answer } from '../host.ts'
import type { JsonObject } from '../json.ts'
import { identityText } from '../record/identity.ts'
import { cancelledResult, type StepResult } from '../steps/step-result.ts'
import type { CoreStep } from './core-step.ts'

/** Asks a person, and waits for the answer. The time is not working time. */
export const approve: CoreStep = async ({ path, input, frame }) => {
  const { host, cancellation } = frame
  const message = String(input['message'] ?? '')
  const timeoutMs = readTimeout(input)
  const askedAtMs = await host.firstReachedAt(path)
  const until = timeoutMs === undefined ? {} : { until: askedAtMs + timeoutMs }
  host.report({ type: 'waiting', path, reason: 'approval', message, ...until })
  const question = { path, message, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
  const answer = await host.ask(question, cancellation)
  if (!answer && cancellation.reason) return cancelledResult(frame, path)
  const taken = answer ?? inPlaceOfAnswer(input, askedAtMs + (timeoutMs ?? 0))
  if (!taken) {
    const late = `nobody answered within ${String(input['timeout'])}: ${message}`
    return { status: 'failed', attempts: 0, error: { code: 'ApprovalTimeout', message: late, path } }
  }
  const { approved, by, comment } = taken
  host.report({ type: 'answered', path, approved, by, ...(comment === undefined ? {} : { comment }) })
  return settle(taken, input, path)
}

/** What nobody's answer means, where it means one. */
function inPlaceOfAnswer({ 'on-timeout': onTimeout }: JsonObject, atMs: number): Answer | undefined {
  if (onTimeout !== 'approve' && onTimeout !== 'reject') return undefined
  // biome-ignore lint/style/noRestrictedGlobals: writes a time, and reads no clock
  const at = new Date(atMs).toISOString()
  return { approved: onTimeout === 'approve', by: { name: 'timeout', source: 'timeout' }, at }
}

function settle({ approved, by, comment, at }: Answer, input: JsonObject, path: string): StepResult {
  const name = identityText(by)
  const outputs = { approved, by: name, ...(comment === undefined ? {} : { comment }), at }
  if (approved || input['on-reject'] === 'continue') return { status: 'succeeded', attempts: 0, outputs }
  const message = `rejected by ${name}${comment === undefined ? '' : `: ${comment}`}`
  return { status: 'failed', attempts: 0, outputs, error: { code: 'ApprovalRejected', message, path } }
}

function readTimeout({ timeout }: JsonObject): number | undefined {
  return typeof timeout === 'string' ? parseDuration(timeout) : undefined
}
