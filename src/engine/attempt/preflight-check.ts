import { refuseOutside } from '../../actions/index.ts'
import type { ActionDescription } from '../../core/action.ts'
import { isWellFormed, type JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { argumentProblems, type PreviewOptions } from '../../core/preview/index.ts'
import { RunbookError } from '../../core/run-error.ts'

/** Throws `InvalidInput` for everything that is known to be wrong before the first call. Nothing was sent then. */
export function preflightCheck({
  plan,
  inputs,
  actions,
  checkInputs,
  key,
}: {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly ActionDescription[]
  /** Left out: the inputs of child runbooks are checked when the run gets there. */
  readonly checkInputs?: PreviewOptions['checkInputs']
  /** The key of the run: a second start with the same key starts nothing. */
  readonly key?: string
}): void {
  refuseMalformedKey(key)
  refuseOutside({ plan, inputs, actions })
  const problems = argumentProblems({ plan, inputs, actions, checkInputs })
  if (problems.length === 0) return
  const list = problems.map(({ path, message }) => `${path} ${message}`).join('; ')
  const details = { problems: problems.map(({ path, message }) => ({ path, message })) }
  throw new RunbookError('InvalidInput', `${list}; nothing was sent`, { notSent: true, details })
}

/** Throws `InvalidInput` for a key that is not well-formed Unicode: two stores may keep it as different texts. */
export function refuseMalformedKey(key: string | undefined): void {
  if (key === undefined || isWellFormed(key)) return
  const message = 'the key of the run is not well-formed Unicode; nothing was sent'
  throw new RunbookError('InvalidInput', message, { notSent: true })
}
