import { callChanges, staleMessage } from '../approval/call-changes.ts'
import type { CallChange, CallPermit, CoveredCalls } from '../approval/covers.ts'
import { createWriteCollector, foreseeWrite, isWrite, knownScope } from '../approval/gather-writes.ts'
import { type ForeseenCall, hashOfCall, sealCalls } from '../approval/seal-calls.ts'
import type { KnownScope } from '../expressions/known.ts'
import { referencesOf } from '../expressions/references.ts'
import type { JsonObject } from '../json.ts'
import type { StepPlan, UsesPlan } from '../plan/plan.ts'
import { stepIdOf, withoutPositions } from '../plan/step-address.ts'
import { anyTurn, gatherCalls } from '../preview/index.ts'
import type { ErrorData } from '../run-error.ts'
import { type Approvals, sealKey } from './approvals.ts'
import { askToApprove } from './approve.ts'
import { answeredOutputs } from './covers-ahead.ts'
import type { Frame } from './frame.ts'
import type { StepResult } from './step-result.ts'

type Sealed = Extract<CallPermit, { readonly kind: 'sealed' }>

/**
 * Compares a loop with what was approved before its first item, and asks again for calls that differ or were not known.
 * Undefined: it may begin. Calls that only its items will know are compared later.
 */
export async function permitLoop(
  step: StepPlan,
  frame: Frame,
  path: string,
): Promise<StepResult | undefined> {
  const found = findPermit(frame)
  if (!found) return undefined
  const writes = createWriteCollector()
  const scope = knownScope(frame.scope, answerIn(found.permit, frame))
  gatherCalls({ steps: [step], scope, path: frame.path, children: frame.children }, writes)
  return permitCalls(writes.found, path, found, frame)
}

/** Compares a write with what was approved, and asks again where it differs or was not known. Undefined: it may go out. */
export async function permitWrite(
  path: string,
  uses: UsesPlan,
  input: JsonObject,
  frame: Frame,
): Promise<StepResult | undefined> {
  const found = isWrite(uses.action) ? findPermit(frame) : undefined
  if (!found) return undefined
  const answer = answerIn(found.permit, frame)
  const call = foreseeWrite(path, uses, knownScope(frame.scope, answer))
  const readsAnswer = referencesOf(uses.with).some(
    ([root, id]) => root === 'steps' && Object.hasOwn(answer, String(id)),
  )
  // What is compared is what is sent, but for what the answer itself has brought.
  const isForeseen = readsAnswer && call.needs === undefined
  return permitCalls(
    [
      isForeseen
        ? call
        : { saveAs: undefined, ...call, needs: undefined, input, shown: { ...call.shown, input } },
    ],
    path,
    found,
    frame,
  )
}

interface FoundPermit {
  readonly permit: Sealed
  readonly approvals: Approvals
  /** How the seal names a call: of a turn around, the position is left open. */
  seen(path: string): string
}

/** What limits the writes of this place: the last question of its part of the run, or of a part around it. */
function findPermit({ approvals }: Frame): FoundPermit | undefined {
  let seen = (path: string): string => path
  for (let scope = approvals; scope; scope = scope.outer) {
    const { permit, turn } = scope
    if (permit) return permit.kind === 'sealed' ? { permit, approvals: scope, seen } : undefined
    if (turn === undefined) continue
    const inner = seen
    seen = (path) => inTurn(inner(path), turn)
  }
  return undefined
}

function inTurn(path: string, turn: string): string {
  if (!path.startsWith(turn)) return path
  return anyTurn(turn.replace(/\[\d+\]$/, '')) + path.slice(turn.length)
}

/** The step that asked, where its answer can be seen. */
function answerIn({ question, document }: Sealed, frame: Frame): KnownScope {
  return (frame.document ?? '') === document ? { [stepIdOf(question)]: answeredOutputs } : {}
}

async function permitCalls(
  calls: readonly ForeseenCall[],
  path: string,
  { permit, approvals, seen }: FoundPermit,
  frame: Frame,
): Promise<StepResult | undefined> {
  const key = sealKey(frame)
  const present = calls.map((call) => ({ ...call, path: seen(call.path) }))
  const hashes = new Map(present.map((call) => [call.path, hashOfCall(call, key)]))
  const isGranted = ({ path, needs }: ForeseenCall): boolean =>
    needs !== undefined || approvals.granted.get(path) === hashes.get(path)
  if (present.every(isGranted)) return undefined
  const { covers } = sealCalls(present, { key })
  const sealed = new Set(covers.calls.map(({ step }) => step))
  const missing = stepsNotPermitted(
    present.filter(({ path }) => sealed.has(withoutPositions(path))),
    hashes,
    permit,
  )
  if (missing.size > 0) {
    const isMissing = ({ step }: Pick<CoveredCalls, 'step'>): boolean => missing.has(step)
    const shown = permit.covers.calls.filter(isMissing).map((one) => shownOf(one, hashes))
    const changes = callChanges(shown, covers.calls.filter(isMissing).filter(wasKnown(permit)))
    const asked = calls.filter((call) => missing.has(withoutPositions(call.path)))
    const refused = await askAgain(path, asked, changes, permit, frame)
    if (refused) return refused
  }
  const large = unshowable(present, hashes, sealed, permit, key)
  if (large) return { status: 'failed', attempts: 0, error: { ...large, path } }
  for (const { path } of present)
    if (sealed.has(withoutPositions(path))) approvals.granted.set(path, hashes.get(path) ?? '')
  return undefined
}

/** Why a call can never be approved: alone it is more than a question shows. Undefined: there is none. */
function unshowable(
  calls: readonly ForeseenCall[],
  hashes: ReadonlyMap<string, string>,
  sealed: ReadonlySet<string>,
  permit: Sealed,
  key: string,
): ErrorData | undefined {
  const unsealed = calls.filter(
    (call) => call.needs === undefined && !sealed.has(withoutPositions(call.path)),
  )
  const missing = stepsNotPermitted(unsealed, hashes, permit)
  const large = unsealed.find(
    (call) =>
      missing.has(withoutPositions(call.path)) && sealCalls([call], { key }).covers.calls.length === 0,
  )
  return large === undefined
    ? undefined
    : {
        code: 'InvalidInput',
        message: `the call of ${large.path} is larger than a question shows, so no yes covers it: send less in one call, or write "covers: any" at the question`,
      }
}

/** The steps of calls that are not among those of the yes. Fewer calls than it covers are covered. */
function stepsNotPermitted(
  calls: readonly ForeseenCall[],
  hashes: ReadonlyMap<string, string>,
  permit: Sealed,
): ReadonlySet<string> {
  const permitted = new Set(permit.hashes)
  const known = new Set(permit.covers.calls.map(({ step }) => step))
  const isPermitted = (path: string): boolean =>
    permitted.has(hashes.get(path) ?? '') ||
    (permit.covers.any === true && !known.has(withoutPositions(path)))
  return new Set(calls.flatMap(({ path }) => (isPermitted(path) ? [] : [withoutPositions(path)])))
}

/** What was shown of the calls that are made: the others are covered, and left out. */
function shownOf(calls: CoveredCalls, made: ReadonlyMap<string, string>): CoveredCalls {
  const shown = calls.shown.filter(({ path }) => made.has(path))
  return { ...calls, shown, count: calls.count - (calls.shown.length - shown.length) }
}

function wasKnown({ covers }: Sealed): (calls: CoveredCalls) => boolean {
  return ({ step }) => covers.calls.some((one) => one.step === step)
}

/** Asks for the calls that the answer does not permit. Undefined: they may go out. */
async function askAgain(
  path: string,
  calls: readonly ForeseenCall[],
  changes: readonly CallChange[],
  { question, input }: Sealed,
  frame: Frame,
): Promise<StepResult | undefined> {
  const stale = staleMessage(changes)
  if (changes.length > 0) frame.host.report({ type: 'logged', path, level: 'warn', message: stale })
  const result = await askToApprove({
    path,
    input: {
      ...input,
      message: `Asked again before ${path}: ${String(input['message'])}`,
      'on-reject': 'fail',
    },
    covers: sealCalls(calls, { key: sealKey(frame), again: { question, changes } }).covers,
    frame,
  })
  if (result.status === 'succeeded') return undefined
  const { status, error } = result
  const cause = changes.length > 0 && {
    cause: { code: 'ApprovalStale', message: stale.replace('ApprovalStale: ', ''), path } as const,
  }
  return { status, attempts: 0, ...(error ? { error: { ...error, ...cause } } : {}) }
}
