import type { Plan, StepPlan } from '../../../core/plan.ts'
import { createPlanIndex, type PlanIndex } from '../../../core/record/plan-index.ts'
import { isUnclear } from '../../../core/run-error.ts'
import { catchPath } from '../../../core/steps/catch-path.ts'
import type { StepResult } from '../../../core/steps/step-result.ts'
import { placeOfCall } from '../../attempt/place-of-call.ts'
import type { Carried, CarriedAttempt } from '../carried.ts'

/**
 * What a run that has failed takes along when it is tried again: as it was, without what failed and made everything
 * around it fail. A step that sends nothing twice that matters starts afresh. Of a `create` only the last attempts that
 * were certainly not carried out are taken back. `catch` and `finally` happen anew at the next ending.
 */
export function reopenCarried(plan: Plan, carried: Carried): Carried {
  const index = createPlanIndex(plan)
  const state = createState(carried)
  for (const path of failedSteps(state.results)) {
    const owner = index.ownerOf(path)
    if (owner?.path !== path) continue
    const { step } = owner
    const starts = step.forEach ? failedItems(state.results, path) : [path]
    for (const id of idsIn(step.catch)) {
      // What it has made is there: only clean-up begins wholly anew.
      state.remove(`${catchPath(step, path)}/${id}`, index, { keepsCreates: true })
    }
    for (const start of starts) reopenStart(start, step, index, state)
    state.reset(path)
  }
  for (const [path, result] of [...state.results]) {
    if (typeof result === 'object' && result.status === 'unknown') state.reset(path)
  }
  for (const id of idsIn(plan.catch)) state.remove(id, index, { keepsCreates: true })
  for (const id of idsOf(plan.finally)) state.remove(id, index)
  state.giveTime('')
  return state.carried()
}

function reopenStart(start: string, step: StepPlan, index: PlanIndex, state: State): void {
  const child = index.childOf(step)
  const cleanUp = step.kind === 'block' ? idsOf(step.finally) : []
  for (const id of idsIn(child?.catch)) state.remove(`${start}/${id}`, index, { keepsCreates: true })
  for (const id of [...cleanUp, ...idsOf(child?.finally)]) state.remove(`${start}/${id}`, index)
  state.reset(start)
  state.forgetPlace(start)
  state.giveTime(start)
  if (step.kind !== 'uses' || child) return
  if (step.uses.action.safety === 'create') state.takeBackRefused(start)
  else state.forgetCalls(start)
}

function idsIn(entries: Plan['catch']): readonly string[] {
  return entries?.flatMap(({ steps }) => idsOf(steps)) ?? []
}

function idsOf(steps: readonly StepPlan[] | undefined): readonly string[] {
  return steps?.map(({ id }) => id) ?? []
}

type Results = ReadonlyMap<string, StepResult | 'begun'>

/** The steps that failed, or were cancelled, and made everything around them fail. */
function failedSteps(results: Results): readonly string[] {
  const counts = (path: string): boolean => {
    if (path.endsWith(']') || !hasFailed(results.get(path))) return false
    const around = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
    if (around === '') return true
    if (!around.endsWith(']')) return counts(around)
    return isFailedItem(results.get(around)) && counts(around.slice(0, around.lastIndexOf('[')))
  }
  return [...results.keys()].filter(counts)
}

function failedItems(results: Results, loop: string): readonly string[] {
  return [...results].flatMap(([path, result]) =>
    path.endsWith(']') && path.slice(0, path.lastIndexOf('[')) === loop && isFailedItem(result) ? [path] : [],
  )
}

function hasFailed(result: StepResult | 'begun' | undefined): boolean {
  if (typeof result !== 'object' || result.isWarning) return false
  return result.status === 'failed' || result.status === 'cancelled'
}

function isFailedItem(result: StepResult | 'begun' | undefined): boolean {
  return result !== undefined && (result === 'begun' || result.status !== 'succeeded')
}

/** What is carried, while it is being changed. */
interface State {
  readonly results: Results
  /**
   * All that was done at a place and inside it, but for a create of which nobody knows whether it was carried out: of a
   * step that begins anew only if the run comes there again.
   */
  remove(path: string, index: PlanIndex, how?: { readonly keepsCreates?: boolean }): void
  /** It has not come to anything yet. */
  reset(path: string): void
  /** When the run came to a place, and what was asked there. */
  forgetPlace(path: string): void
  /** From now on the time of what is tried again counts, and not from before. */
  giveTime(path: string): void
  forgetCalls(path: string): void
  /** The last attempts of a create, as far as they were certainly not carried out. */
  takeBackRefused(path: string): void
  carried(): Carried
}

function createState(before: Carried): State {
  const results = new Map(before.results)
  const marks = new Map(before.marks)
  const worked = new Map(before.worked)
  const inputs = new Map(before.inputs)
  const pending = new Set<string>()
  let attempts = before.attempts
  let questions = before.questions
  const forget = (isHere: (one: string) => boolean): void => {
    for (const map of [marks, inputs, worked])
      for (const key of [...map.keys()]) if (isHere(key)) map.delete(key)
    questions = questions.filter((question) => !isHere(question.path))
  }
  return {
    results,
    remove(path, index, { keepsCreates = false } = {}) {
      const isHere = (one: string): boolean =>
        one === path || one.startsWith(`${path}/`) || one.startsWith(`${path}[`)
      attempts = attempts.filter((one) => {
        if (!isHere(one.path)) return true
        const step = index.ownerOf(one.path)?.step
        const isCreate = step?.kind === 'uses' && step.uses.action.safety === 'create'
        return isCreate && (isDoubtful(one) || (keepsCreates && one.attempted.status === 'succeeded'))
      })
      for (const key of [...results.keys()]) if (isHere(key)) results.delete(key)
      forget(isHere)
      for (const { path: one } of before.steps) if (isHere(one)) pending.add(one)
    },
    reset(path) {
      results.delete(path)
      pending.add(path)
    },
    forgetPlace: (path) => forget((one) => one === path),
    giveTime: (path) => void worked.set(path, 0),
    forgetCalls(path) {
      attempts = attempts.filter((one) => placeOfCall(one.path) !== path)
    },
    takeBackRefused(path) {
      const calls = attempts.filter((one) => placeOfCall(one.path) === path)
      // Later rounds of a batch group its items anew: what one of them has done cannot be told from its path.
      if (calls.some(({ attempt, attempted }) => attempt > 1 && attempted.status === 'succeeded')) return
      const settled = new Set<string>()
      const taken = new Set<CarriedAttempt>()
      for (const call of [...calls].sort((one, other) => other.attempt - one.attempt)) {
        // To write what was answered into a file creates nothing.
        const isFile = call.action === 'core/write'
        if (!isFile && (call.attempted.status === 'succeeded' || isDoubtful(call))) settled.add(call.path)
        if (!settled.has(call.path)) taken.add(call)
      }
      attempts = attempts.filter((one) => !taken.has(one))
    },
    carried: () => ({
      ...before,
      attempts,
      results: [...results],
      marks: [...marks],
      worked: [...worked],
      inputs: [...inputs],
      questions,
      steps: before.steps.map((step) => {
        if (!pending.has(step.path)) return step
        const { path, name, action } = step
        return { path, ...(name === undefined ? {} : { name }), action, status: 'pending', attempts: 0 }
      }),
    }),
  }
}

/** Nobody can say whether it was carried out. */
function isDoubtful({ attempted }: CarriedAttempt): boolean {
  return attempted.status === 'failed' && isUnclear(attempted.error)
}
