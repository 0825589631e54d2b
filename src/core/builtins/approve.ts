import type { Covers } from '../approval/covers.ts'
import { parseDuration } from '../duration.ts'
import type { JsonObject } from '../json.ts'
import { readReminders } from '../people/index.ts'
import type { Answer, Question } from '../people/question.ts'
import { identityText } from '../record/identity.ts'
import { setPermit } from '../steps/approvals.ts'
import type { Frame } from '../steps/frame.ts'
import { coversAhead } from '../steps/permit.ts'
import { cancelledResult, type StepResult } from '../steps/step-result.ts'
import { reachedBefore } from './reached-before.ts'
import type { CoreCall } from './run-builtin.ts'

/** Asks a person, and waits for the answer. The time is not working time. A yes covers the writes that follow. */
export async function approve({ path, input, frame }: CoreCall): Promise<StepResult> {
  const covers = coversAhead(path, input['covers'], frame)
  const result = await askToApprove({ path, input, frame, ...(covers === undefined ? {} : { covers }) })
  const isYes = isApproved(result) && covers !== undefined
  setPermit(
    frame,
    isYes
      ? { kind: 'sealed', question: path, document: frame.document ?? '', input, covers }
      : { kind: 'everything' },
  )
  return result
}

function isApproved({ status, outputs }: StepResult): boolean {
  return status === 'succeeded' && (outputs as JsonObject)['approved'] === true
}

/** A question of yes or no. */
export interface ApprovalQuestion {
  readonly path: string
  /** The arguments of `core/approve`. */
  readonly input: JsonObject
  readonly covers?: Covers
  readonly frame: Frame
}

/** Asks for a yes to these calls, under the policy of the arguments. */
export async function askToApprove({ path, input, covers, frame }: ApprovalQuestion): Promise<StepResult> {
  const { host, cancellation } = frame
  const message = String(input['message'] ?? '')
  const timeoutMs = readTimeout(input)
  const askedAtMs = await reachedBefore(path, frame)
  const until = timeoutMs === undefined ? {} : { until: askedAtMs + timeoutMs }
  host.report({ type: 'waiting', path, reason: 'approval', message, ...until, ...countsOf(covers) })
  const question: Question = {
    path,
    message,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...readReminders(input),
    ...(covers === undefined ? {} : { covers }),
  }
  const answer = (await host.ask(question, cancellation)).at(-1)
  if (!answer && cancellation.reason) return cancelledResult(frame, path)
  const taken = answer ?? inPlaceOfAnswer(input, askedAtMs + (timeoutMs ?? 0))
  if (!taken) {
    const late = `no approver answered within ${String(input['timeout'])}: ${message}`
    return { status: 'failed', attempts: 0, error: { code: 'ApprovalTimeout', message: late, path } }
  }
  const { approved, by, comment } = taken
  host.report({ type: 'answered', path, approved, by, ...(comment === undefined ? {} : { comment }) })
  return settle(taken, input, path)
}

/** How much a yes covers, for views that show one line. */
function countsOf(covers: Covers | undefined): { readonly calls?: number; readonly not_covered?: number } {
  if (!covers) return {}
  const calls = covers.calls.reduce((sum, { count }) => sum + count, 0)
  return { calls, ...(covers.open.length === 0 ? {} : { not_covered: covers.open.length }) }
}

/** The result of a question that expired, where the step defines one. */
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
