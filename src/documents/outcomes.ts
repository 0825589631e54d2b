import type { Safety } from '../core/action.ts'
import type { JsonSchema } from '../core/json.ts'
import { anyObject, arrayOf, objectOf, oneWord, partly, type Schema, text } from './describe.ts'
import type { Public } from './public-json.ts'
import { outcomeMembers, type UnknownOutcome } from './run.ts'

/** A call with an unknown outcome, as a person decides it. */
export interface Outcome extends Public<UnknownOutcome> {
  /** The word of the call as it is shown. */
  readonly shown: string
  /** The schema of its answer. Left out: its action is not known here. */
  readonly output?: JsonSchema
  /** What of its answer later steps need. */
  readonly reads: readonly string[]
  /** What a second call can do. */
  readonly risk: Safety
}

export interface Outcomes {
  readonly outcomes: readonly Outcome[]
}
export const outcomesSchema: Schema<Outcomes> = objectOf<Outcomes>(
  {
    outcomes: arrayOf(
      objectOf<Outcome>({
        ...outcomeMembers,
        shown: text,
        'output?': partly(anyObject),
        reads: arrayOf(text),
        risk: oneWord('read', 'idempotent', 'create'),
      }),
    ),
  },
  'Calls with an unknown outcome. `output`: the schema of the answer; `reads`: what of it later steps need; `risk`: what a second call can do.',
)
