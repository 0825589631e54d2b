import type { StepFate } from '../../core/resume/index.ts'

/** What a resume does with a step, in a word. */
export const fateWords: Readonly<Record<StepFate, string>> = {
  reused: 'reused',
  kept: 'kept',
  again: 'again',
  depends: 'depends',
  'needs-choice': 'choose',
  skipped: 'skipped',
  'to-do': 'to do',
  new: 'new',
  removed: 'removed',
}
