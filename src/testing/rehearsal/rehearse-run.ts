import { isSameJson, type JsonObject, valueAt } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { argumentProblems } from '../../core/preview/index.ts'
import { checkInputs } from '../../load/index.ts'
import type { ScriptedAction } from '../host/scripted-world.ts'
import {
  compareWalks,
  type MaskShown,
  type RunDifference,
  type Unknown,
  unknownsOf,
} from './compare-walks.ts'
import type { RecordedRun } from './recorded-run.ts'
import { ownWorld, worldFor } from './recorded-world.ts'
import { knownActions, type RehearsalWalk, walkRun } from './walk-run.ts'

/** What a recorded run would have been with another plan. */
export interface RunRehearsal {
  readonly run_id: string
  /** RFC 3339. */
  readonly started_at: string
  /**
   * `same`: it takes the same way. `different`: it does not; what cannot be known may follow. `open`: no difference is
   * known, and not all can be known. `left_out`: its own plan does not lead to its recorded end, so nothing is compared.
   */
  readonly result: 'same' | 'different' | 'open' | 'left_out'
  readonly differences: readonly RunDifference[]
  readonly unknown: readonly Unknown[]
  /** Of `left_out`. */
  readonly reason?: string
}

/** What a rehearsal of a run takes besides the run and the plan. */
export interface RehearseOptions {
  readonly actions: readonly ScriptedAction[]
  /** The inputs that the new plan makes of what started the run. @default those of the run */
  readonly start?: { readonly inputs: JsonObject } | { readonly refusal: string }
  /** Masks values of the run. Asked for only where something of it is shown. @default nothing is masked */
  readonly mask?: () => Promise<MaskShown>
}

/**
 * Rehearses a recorded run with another plan: its journal has the results, its people have given the answers. Both plans
 * walk through it in virtual time, and nothing is sent.
 */
export async function rehearseRun(
  recorded: RecordedRun,
  plan: Plan,
  { actions, start, mask: maskOf = async () => unmasked }: RehearseOptions,
): Promise<RunRehearsal> {
  const { run } = recorded
  const base = { run_id: run.run_id, started_at: run.started_at, differences: [], unknown: [] }
  const before = await walkRun(run.plan, run.inputs, recorded, ownWorld(recorded), actions)
  const reason = otherEnd(recorded, before)
  if (reason !== undefined) return { ...base, result: 'left_out', reason }
  const refusal = (what: string): RunRehearsal => ({
    ...base,
    result: 'different',
    differences: [{ kind: 'refused', what }],
  })
  if (start && 'refusal' in start) return refusal((await maskOf())(start.refusal))
  const { inputs, problems } = checkInputs(plan, start?.inputs ?? givenInputs(run.plan, run.inputs))
  const found =
    problems.length > 0
      ? problems
      : argumentProblems({ plan, inputs, actions: knownActions(plan, actions), checkInputs })
  const [problem] = found
  if (problem) {
    const mask = await maskOf()
    return refusal(
      mask(`would be refused: ${problem.path === '' ? '' : `${problem.path}: `}${problem.message}`),
    )
  }
  const after = await walkRun(plan, inputs, recorded, worldFor(plan, recorded, before), actions)
  if (isSameWay(before, after)) return { ...base, result: 'same' }
  const mask = await maskOf()
  const differences = compareWalks(before, after, mask)
  const unknown = unknownsOf(before, after, mask)
  const result = differences.length > 0 ? 'different' : 'open'
  return { ...base, result, differences, unknown }
}

const unmasked: MaskShown = (value) => value

function isSameWay(before: RehearsalWalk, after: RehearsalWalk): boolean {
  return compareWalks(before, after, unmasked).length + unknownsOf(before, after, unmasked).length === 0
}

/** An input with the value of its default counts as not given: the new plan fills in its own. */
function givenInputs({ inputs: schema }: Plan, inputs: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(inputs).filter(([name, value]) => {
      const usual = valueAt(schema, ['properties', name, 'default'])
      return usual === undefined || !isSameJson(usual as typeof value, value)
    }),
  )
}

/** Why the walk of a run with its own plan is not what is recorded. */
function otherEnd({ run }: RecordedRun, { end, open }: RehearsalWalk): string | undefined {
  if (!end) {
    const [first] = open
    const path = first?.kind === 'call' ? first.request.path : first?.question.path
    return path === undefined ? 'its own plan waits for ever' : `its journal has no result of ${path}`
  }
  if (end.status !== run.status) return `its own plan ends as ${end.status}, and the run as ${run.status}`
  if (end.error?.code === run.error?.code) return undefined
  return `its own plan ends with ${end.error?.code ?? 'no error'}, and the run with ${run.error?.code ?? 'none'}`
}
