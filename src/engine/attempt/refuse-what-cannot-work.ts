import { refuseOutside } from '../../actions/inside-sandbox.ts'
import type { ActionDescription } from '../../core/action.ts'
import { argumentProblems } from '../../core/forecast/forecast-plan.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import { RunbookError } from '../../core/run-error.ts'
import { isWellFormed } from '../../core/well-formed.ts'

/** Everything that can be known before the first call; nothing has been made when it throws. */
export function refuseWhatCannotWork({
  plan,
  inputs,
  actions,
  key,
}: {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly ActionDescription[]
  /** A second start with it starts nothing. */
  readonly key?: string
}): void {
  refuseMalformedKey(key)
  refuseOutside({ plan, inputs, actions })
  const problems = argumentProblems({ plan, inputs, actions })
  if (problems.length === 0) return
  const list = problems.map(({ path, message }) => `${path} ${message}`).join('; ')
  const details = { problems: problems.map(({ path, message }) => ({ path, message })) }
  throw new RunbookError('InvalidInput', `${list}; nothing was sent`, { notSent: true, details })
}

/** Throws `InvalidInput` for a key that two stores may keep as different texts. */
export function refuseMalformedKey(key: string | undefined): void {
  if (key === undefined || isWellFormed(key)) return
  const message = 'the key of the run is not well-formed Unicode; nothing was sent'
  throw new RunbookError('InvalidInput', message, { notSent: true })
}
