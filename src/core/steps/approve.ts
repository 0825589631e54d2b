import type { Covers } from '../approval/covers.ts'
import type { JsonObject } from '../json.ts'
import type { Answer } from '../people/question.ts'
import { setPermit } from './approvals.ts'
import { coversAhead } from './covers-ahead.ts'
import type { Frame } from './frame.ts'
import type { CoreCall } from './run-builtin.ts'
import type { StepResult } from './step-result.ts'
import { givenBy, questionOf, waitForAnswers } from './wait-for-answers.ts'

/** Asks a person, and waits for the answer. The time is not working time. A yes covers the writes that follow. */
export async function approve({ path, input, frame }: CoreCall): Promise<StepResult> {
  const sealed = coversAhead(path, input['covers'], frame)
  const covers = sealed?.covers
  const result = await askToApprove({ path, input, frame, ...(covers === undefined ? {} : { covers }) })
  setPermit(
    frame,
    sealed && isApproved(result)
      ? { kind: 'sealed', question: path, document: frame.document ?? '', input, ...sealed }
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
  const question = { ...questionOf({ path, input }), ...(covers === undefined ? {} : { covers }) }
  return waitForAnswers({ path, input, frame }, 'approval', question, {
    settle: (answers) => settleApproval(answers, input, path),
    late: 'ApprovalTimeout',
    inPlace: inPlaceOfApproval(input),
  })
}

function inPlaceOfApproval({ 'on-timeout': onTimeout }: JsonObject): Pick<Answer, 'approved'> | undefined {
  return onTimeout === 'approve' || onTimeout === 'reject' ? { approved: onTimeout === 'approve' } : undefined
}

function settleApproval(answers: readonly Answer[], input: JsonObject, path: string): StepResult {
  const list = answers.map((one) => ({ approved: one.approved, ...givenBy(one) }))
  const { approved = false, ...last } = list.at(-1) ?? {}
  const outputs: JsonObject = { approved, ...last, answers: list }
  if (approved || input['on-reject'] === 'continue') return { status: 'succeeded', attempts: 0, outputs }
  const { by = '', comment } = outputs
  const message = `rejected by ${by}${comment === undefined ? '' : `: ${comment}`}`
  return { status: 'failed', attempts: 0, outputs, error: { code: 'ApprovalRejected', message, path } }
}
