/** What a resume with changes does with a step, as far as it can be known before. */
export type StepFate =
  /** It was done, and counts. */
  | 'reused'
  /** It completed with other arguments or an earlier answer, and counts because of `--keep`. */
  | 'kept'
  /** It was done, and is done again. */
  | 'again'
  /** It was done, and counts if its arguments stay what they were; else a read is done again, a write ends the run. */
  | 'depends'
  /** It completed, its arguments have changed, and the user has to choose `--repeat` or `--keep`. */
  | 'needs-choice'
  | 'skipped'
  /** It was not done. */
  | 'to-do'
  /** The runbook did not have it. */
  | 'new'
  /** It was done, and the runbook no longer has it: what it did stays. */
  | 'removed'

/** One step of the comparison. Steps with other steps inside are not listed. */
export interface StepComparison {
  /** Without places in loops, such as `hosts/look`. */
  readonly path: string
  readonly action: string
  /** It changes something elsewhere. */
  readonly is_write: boolean
  readonly fate: StepFate
  /** Why, where that is not plain. */
  readonly reason?: string
  /** How many calls of it were done before. */
  readonly done: number
}

/** What the changes would do, with nothing changed yet. */
export interface ResumeComparison {
  readonly run_id: string
  readonly runbook: string
  readonly plan_hash_before: string
  readonly plan_hash: string
  /** The inputs whose values change. */
  readonly changed_inputs: readonly string[]
  /** In the order of the plan; those that are gone come last. */
  readonly steps: readonly StepComparison[]
}
