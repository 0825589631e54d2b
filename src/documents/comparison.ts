import type { JsonSchema } from '../core/json.ts'
import type { ResumeComparison, StepComparison } from '../core/resume/index.ts'
import {
  anyObject,
  arrayOf,
  flag,
  objectOf,
  oneWord,
  partly,
  type Schema,
  text,
  wholeNumber,
  yes,
} from './describe.ts'

/** What a resume would do. */
export interface Compared {
  /** The word of the comparison. */
  readonly shown: string
  readonly comparison: ResumeComparison
  /** The schema of the inputs that the run would have. */
  readonly inputs: JsonSchema
  /** The file of the runbook has changed since the run began. */
  readonly has_newer?: true
}

export const comparedSchema: Schema<Compared> = objectOf<Compared>(
  {
    shown: text,
    comparison: objectOf<ResumeComparison>({
      run_id: text,
      runbook: text,
      plan_hash_before: text,
      plan_hash: text,
      changed_inputs: arrayOf(text),
      steps: arrayOf(
        objectOf<StepComparison>({
          path: text,
          action: text,
          is_write: flag,
          fate: oneWord(
            'reused',
            'kept',
            'again',
            'depends',
            'needs-choice',
            'skipped',
            'to-do',
            'new',
            'removed',
          ),
          'reason?': text,
          done: wholeNumber,
        }),
      ),
    }),
    inputs: partly(anyObject),
    'has_newer?': yes,
  },
  'The document of `opsbook resume --dry-run --output json`, and the word that names it. `has_newer`: the file of the runbook has changed since the run began.',
)
