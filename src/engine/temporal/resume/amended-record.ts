import type { AmendedRecord } from '../../../core/amend/amend-run.ts'
import type { StepRecord } from '../../../core/record/run-record.ts'
import type { Carried, CarriedSeed } from '../carried.ts'
import { type CallLedger, type LedgerCall, outcomeOf } from './call-ledger.ts'
import { openCarriedRecord } from './carried-record.ts'

/** All that is known of a run that is amended. */
export interface AmendedRecordOptions {
  readonly carried: Carried
  /** What has been called since the run was amended last, as far as the end of the last execution. */
  readonly ledger: CallLedger
  /** As the log has them. */
  readonly steps: readonly StepRecord[]
  /** Whether a call of this runbook, or of the one until now, changed something elsewhere. */
  readonly isWrite: (call: CalledPlace) => boolean
  /** Whether the runbook has this call, and it changes something elsewhere. */
  readonly isWriteNow: (call: CalledPlace) => boolean
}

type CalledPlace = Pick<LedgerCall, 'path' | 'action'>

/** What a run takes along that is amended, while it is being changed. */
export interface CarriedAmendedRecord extends AmendedRecord {
  readonly allSeeds: () => readonly CarriedSeed[]
  /** As it has become, but for what it has been changed by. */
  carried(): Carried
}

export function openAmendedRecord(options: AmendedRecordOptions): CarriedAmendedRecord {
  const { carried, ledger, steps } = options
  const reopened = openCarriedRecord(carried)
  const forgotten = new Set<string>()
  let aside: { readonly state: Carried; readonly seeds: readonly CarriedSeed[] } | undefined
  const setAside = (): NonNullable<typeof aside> => {
    const state = reopened.carried()
    ledger.begin(state)
    const marks = new Map([...ledger.marks(), ...state.marks])
    return { state: { ...state, marks: [...marks] }, seeds: gatherSeeds(options) }
  }
  const now = (): NonNullable<typeof aside> => {
    aside ??= setAside()
    return aside
  }
  return {
    unsettled: () =>
      ledger.counting().flatMap(({ path, attempted }) => {
        if (!attempted) return [{ path }]
        return attempted.status === 'failed' ? [{ path, error: attempted.error }] : []
      }),
    steps: () => ({
      skipped: pathsOf(steps, 'skipped').filter((path) => !path.includes('[')),
      endedWell: pathsOf(steps, 'succeeded'),
    }),
    reopened: () => reopened,
    setAside: () => void now(),
    seeds: () => now().seeds,
    allSeeds: () => now().seeds,
    reached() {
      const { marks, questions } = now().state
      const waits = questions.flatMap(({ path, status }) =>
        status === 'open' || status === 'withdrawn' ? [path] : [],
      )
      return marks.map(([path]) => path).filter((path) => !waits.includes(path))
    },
    places() {
      const { marks, questions } = now().state
      return [...new Set([...marks.map(([path]) => path), ...questions.map(({ path }) => path)])]
    },
    forgetPlace: (path) => void forgotten.add(path),
    carried() {
      const { state } = now()
      return {
        ...state,
        attempts: [],
        results: [],
        marks: state.marks.filter(([path]) => !forgotten.has(path)),
        // What is taken over has its times; what was given its time anew keeps it.
        worked: state.worked.filter(([path, workedMs]) => path === '' || workedMs === 0),
        inputs: [],
        questions: state.questions.filter(({ path }) => !forgotten.has(path)),
        control_requests: state.control_requests.map((controlRequest) => ({ ...controlRequest, after: 0 })),
        warnings: {},
        told: [],
        steps: [],
      }
    },
  }
}

function pathsOf(steps: readonly StepRecord[], status: StepRecord['status']): readonly string[] {
  return steps.flatMap((step) => (step.status === status ? [step.path] : []))
}

/** What was done since the last amendment, then what that one has left, then what was tried and refused. */
function gatherSeeds({
  carried: { amended },
  ledger,
  isWrite,
  isWriteNow,
}: AmendedRecordOptions): readonly CarriedSeed[] {
  const taken = new Set(amended?.taken.map(({ seed }) => seed))
  const givenUp = new Set(amended?.givenUp)
  const rest = amended?.seeds.filter(({ id }) => !taken.has(id)) ?? []
  const isLeft = ({ id }: CarriedSeed): boolean => !givenUp.has(id)
  // Of what is made again the outcome is that of the later call: all that is known of this one is that it was tried.
  const again = rest.filter((seed) => !isLeft(seed) && seed.outcome === 'open' && seed.attempted)
  let id = amended?.seeds.reduce((most, seed) => Math.max(most, seed.id), 0) ?? 0
  const seedOf = (call: LedgerCall, outcome: CarriedSeed['outcome']): CarriedSeed => {
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
    ...ledger.counting().map((call) => seedOf(call, outcomeOf(call))),
    ...rest.filter(isLeft).map((seed) => (isWriteNow(seed) ? { ...seed, isWrite: true as const } : seed)),
    ...ledger.refused().map((call) => seedOf(call, 'undone')),
    ...again.map((seed) => ({ ...seed, outcome: 'undone' as const })),
  ]
}
