import { errorRule } from '../../core/errors.ts'
import type { RunEvent } from '../../core/events.ts'
import type { CallRequest } from '../../core/host/index.ts'
import { canonicalText } from '../../core/json.ts'
import { isLoop, type Plan, type StepPlan } from '../../core/plan/index.ts'
import { createPlanIndex, plannedAction } from '../../core/record/index.ts'
import type { LoadedTests } from '../file/load-test-file.ts'
import type { PlayedRun } from '../host/play-run.ts'
import { shown } from '../play/match.ts'
import type { Fault } from './faults.ts'

/** The processes of a run that met a fault, and the run without it. */
export interface FaultyRun {
  readonly fault: Fault
  readonly whole: PlayedRun
  /** One; two where the run was resumed. */
  readonly processes: readonly PlayedRun[]
}

/** What is wrong with the end of a run that met a fault. */
export function checkFault(tests: LoadedTests, faulty: FaultyRun): readonly string[] {
  return [createdTwice, brokenExpression, cleanUpMissing, hiddenFailure, otherEnd].flatMap((check) =>
    check(tests, faulty),
  )
}

type Check = (tests: LoadedTests, faulty: FaultyRun) => readonly string[]

/** A create that may have been executed is never sent again. */
const createdTwice: Check = ({ plan }, { processes }) => {
  const index = createPlanIndex(plan)
  const isCreate = (request: CallRequest): boolean => plannedAction(index, request)?.safety === 'create'
  const sent = new Set<string>()
  const refused = new Set(processes.flatMap(({ host }) => host.events.flatMap(refusedCall)))
  return processes
    .flatMap(({ host }) => host.calls)
    .filter(isCreate)
    .flatMap(({ path, attempt }) => {
      if (sent.has(path)) return [`the create ${path} was sent twice`]
      if (!refused.has(`${path}#${attempt}`)) sent.add(path)
      return []
    })
}

/** The call of a failure that proves that it was not executed. */
function refusedCall(event: RunEvent): readonly string[] {
  if (event.type !== 'attempt_failed') return []
  const { path, attempt, error } = event
  return error.notSent || errorRule(error.code).provesNotExecuted ? [`${path}#${attempt}`] : []
}

const ownMistakes: readonly string[] = [
  'ExpressionFailed',
  'ExpressionTooCostly',
  'InternalDefect',
  'PlanDrift',
  'InvalidInput',
]

/** A step that reads what the fault has taken away is a mistake of the runbook. */
const brokenExpression: Check = (_tests, { processes, whole }) => {
  const before = new Set(whole.host.events.flatMap(mistakeOf))
  const found = processes.at(-1)?.host.events.flatMap(mistakeOf) ?? []
  return [...new Set(found)].filter((one) => !before.has(one))
}

function mistakeOf(event: RunEvent): readonly string[] {
  if (event.type !== 'step_finished' || !event.error || !ownMistakes.includes(event.error.code)) return []
  return [`${event.path} failed with ${event.error.code}: ${event.error.message}`]
}

/** Every step of `finally` ends, unless the outcome of the run is unknown: of the runbook, and of blocks that began. */
const cleanUpMissing: Check = ({ plan }, { processes }) => {
  const last = processes.at(-1)?.seen
  if (!last || last.status === 'unknown') return []
  const index = createPlanIndex(plan)
  const began = Object.entries(last.ends).flatMap(([path, status]) => {
    const owner = index.ownerOf(path)?.step
    const isWhole = owner !== undefined && (!isLoop(owner) || path.endsWith(']'))
    if (!isWhole || status === 'unknown' || status === 'skipped') return []
    const inside = finallyOf(owner, index.childOf(owner))
    return inside.length > 0 && hasEndsIn(last.ends, path) ? inside.map(({ id }) => `${path}/${id}`) : []
  })
  const wanted = [...(plan.finally ?? []).map(({ id }) => id), ...began]
  return wanted.flatMap((path) => (path in last.ends ? [] : [`${path} of finally did not run`]))
}

function finallyOf(step: StepPlan, child: Plan | undefined): readonly StepPlan[] {
  return child?.finally ?? (step.kind === 'block' ? (step.finally ?? []) : [])
}

function hasEndsIn(ends: Readonly<Record<string, string>>, path: string): boolean {
  return Object.keys(ends).some((one) => one.startsWith(`${path}/`))
}

/** A run that succeeds all the same shows why: a repeat, a catch, a tolerated failure. */
const hiddenFailure: Check = (_tests, { fault, processes }) => {
  const last = processes.at(-1)
  if (last?.seen.status !== 'succeeded' || fault.kind === 'crash') return []
  if (fault.kind === 'cancelled') return [`the run succeeded, although it was cancelled at ${fault.question}`]
  const path = fault.call.split('#')[0] ?? ''
  const isRepeated = last.host.calls.filter((call) => call.path === path).length > 1
  const isHandled = last.host.events.some(
    (event) => event.type === 'step_finished' && (event.caught !== undefined || event.is_warning === true),
  )
  const isTolerated = last.seen.warnings.length > 0 || last.host.events.some(isFailedItem)
  return isRepeated || isHandled || isTolerated ? [] : [`the run succeeded, although ${fault.call} failed`]
}

function isFailedItem(event: RunEvent): boolean {
  return event.type === 'item_finished' && event.status === 'failed'
}

/** A resumed run ends as the undisturbed one. */
const otherEnd: Check = (_tests, { fault, whole, processes }) => {
  if (fault.kind !== 'crash') return []
  const last = processes.at(-1)
  const contradictions = processes.flatMap(({ host }) => host.contradictions)
  if (!last || contradictions.length > 0) return contradictions
  if (last.seen.status !== whole.seen.status)
    return [`the resumed run ends as ${last.seen.status}, and as ${whole.seen.status} without the crash`]
  const [after, before] = [last.seen.outputs ?? {}, whole.seen.outputs ?? {}]
  if (canonicalText(after) === canonicalText(before)) return []
  return [`the outputs of the resumed run are ${shown(after)}, and ${shown(before)} without the crash`]
}
