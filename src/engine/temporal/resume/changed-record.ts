import type { RunEvent } from '../../../core/events.ts'
import { asReplaced } from '../../../core/people/index.ts'
import type { StepRecord } from '../../../core/record/index.ts'
import type { ChangedRecord } from '../../../core/resume/index.ts'
import type { ContinuedReusable, ContinuedState } from '../continued-state.ts'
import { type CallLedger, type LedgerCall, outcomeOf } from './call-ledger.ts'
import { openContinuedRecord } from './continued-record.ts'

/** What is known of a run that is resumed with changes. */
export interface ChangedRecordOptions {
  readonly continued: ContinuedState
  /** The calls since the last resume with changes, up to the end of the last execution. */
  readonly ledger: CallLedger
  /** The steps in the log. */
  readonly steps: readonly StepRecord[]
  readonly events: readonly RunEvent[]
  /** Whether a call of the new or of the previous runbook was a write. */
  readonly isWrite: (call: CalledPlace) => boolean
  /** Whether the new runbook has this call, and it is a write. */
  readonly isWriteNow: (call: CalledPlace) => boolean
}

type CalledPlace = Pick<LedgerCall, 'path' | 'action'>

/** The continued state of a run while the changes are applied. */
export interface ContinuedChangedRecord extends ChangedRecord {
  /** The state after the changes, without the changes themselves. */
  continued(): ContinuedState
}

export function openChangedRecord(options: ChangedRecordOptions): ContinuedChangedRecord {
  const { continued, ledger, steps, events } = options
  const reopened = openContinuedRecord(continued)
  const forgotten = new Set<string>()
  let aside: { readonly state: ContinuedState; readonly reusables: readonly ContinuedReusable[] } | undefined
  const setAside = (): NonNullable<typeof aside> => {
    const state = reopened.continued()
    ledger.begin(state, reopened.isKept)
    const firstReached = new Map([...ledger.firstReached(), ...state.firstReached])
    return { state: { ...state, firstReached: [...firstReached] }, reusables: gatherReusables(options) }
  }
  const now = (): NonNullable<typeof aside> => {
    aside ??= setAside()
    return aside
  }
  return {
    counting: () =>
      ledger.counting().map(({ path, action, attempted }) => ({
        path,
        action,
        isDone: attempted?.status === 'succeeded',
        ...(attempted?.status === 'failed' ? { error: attempted.error } : {}),
      })),
    // Of a step that a resume has reopened the log has the earlier end.
    steps: () => [...continued.steps, ...steps.filter(({ path }) => path.includes('['))],
    events: () => events,
    reopened: () => reopened,
    setAside: () => void now(),
    reusables: () => now().reusables,
    reached() {
      const { firstReached, questions } = now().state
      const waits = questions.flatMap(({ path, status, is_superseded }) =>
        !is_superseded && (status === 'open' || status === 'withdrawn') ? [path] : [],
      )
      return firstReached.map(([path]) => path).filter((path) => !waits.includes(path))
    },
    places() {
      const { firstReached, questions } = now().state
      return [...new Set([...firstReached.map(([path]) => path), ...current(questions)])]
    },
    forgetPlace: (path) => void forgotten.add(path),
    continued() {
      const { state } = now()
      return {
        ...state,
        attempts: [],
        results: [],
        firstReached: state.firstReached.filter(([path]) => !forgotten.has(path)),
        // Reused calls have their own times. Steps whose time was reset keep it.
        worked: state.worked.filter(([path, workedMs]) => path === '' || workedMs === 0),
        inputs: [],
        questions: state.questions.map((one) => (forgotten.has(one.path) ? asReplaced(one) : one)),
        control_requests: state.control_requests.map((controlRequest) => ({ ...controlRequest, after: 0 })),
        warnings: {},
        emitted: [],
        steps: [],
      }
    },
  }
}

/** The paths of the questions that count. */
function current(questions: ContinuedState['questions']): readonly string[] {
  return questions.flatMap(({ path, is_superseded }) => (is_superseded ? [] : [path]))
}

/** The calls since the last changes, then the unused results of before, then the calls that were refused. */
function gatherReusables({
  continued: { changed },
  ledger,
  isWrite,
  isWriteNow,
}: ChangedRecordOptions): readonly ContinuedReusable[] {
  const taken = new Set(changed?.taken.map(({ reusable }) => reusable))
  const givenUp = new Set(changed?.givenUp)
  const rest = changed?.reusables.filter(({ id }) => !taken.has(id)) ?? []
  const isLeft = ({ id }: ContinuedReusable): boolean => !givenUp.has(id)
  // A call that is made again has the outcome of the later call.
  const again = rest.filter(
    (reusable) => !isLeft(reusable) && reusable.outcome === 'open' && reusable.attempted,
  )
  let id = changed?.reusables.reduce((most, reusable) => Math.max(most, reusable.id), 0) ?? 0
  const reusableOf = (call: LedgerCall, outcome: ContinuedReusable['outcome']): ContinuedReusable => {
    const { path, action, asked, attempted, requestId } = call
    return {
      id: ++id,
      path,
      action,
      asked,
      outcome,
      ...(attempted === undefined || outcome === 'undone' ? {} : { attempted }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(isWrite(call) ? { isWrite: true } : {}),
    }
  }
  return [
    ...ledger.counting().map((call) => reusableOf(call, outcomeOf(call))),
    ...rest
      .filter(isLeft)
      .map((reusable) => (isWriteNow(reusable) ? { ...reusable, isWrite: true as const } : reusable)),
    ...ledger.refused().map((call) => reusableOf(call, 'undone')),
    ...again.map((reusable) => ({ ...reusable, outcome: 'undone' as const })),
  ]
}
