import {
  type ChangedRun,
  type ChosenWork,
  chooseWork,
  type Overrides,
  type ResumeChanges,
  skipSteps,
} from '../../core/resume/index.ts'
import { preflightCheck } from '../attempt/index.ts'
import type { ResumeDependencies } from '../index.ts'

/** The plan and inputs of a run after a resume with changes. Throws `InvalidInput` if they are known to be wrong. */
export function chooseChanged(
  run: ChangedRun,
  changes: ResumeChanges,
  earlier: Overrides | undefined,
  { actions, checkInputs }: ResumeDependencies,
): ChosenWork {
  const work = chooseWork(run, changes, earlier, checkInputs)
  preflightCheck({ ...work, plan: skipSteps(work.plan, work.overrides.skip), actions, checkInputs })
  return work
}
