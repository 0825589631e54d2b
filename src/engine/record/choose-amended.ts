import type { ActionDescription } from '../../core/action.ts'
import type { Amendment, Words } from '../../core/amend/amendment.ts'
import {
  type AmendedRun,
  type CheckInputs,
  type ChosenWork,
  chooseWork,
} from '../../core/amend/choose-work.ts'
import { skipSteps } from '../../core/amend/skip-steps.ts'
import { refuseWhatCannotWork } from '../attempt/refuse-what-cannot-work.ts'

/** What an amendment is looked at with. */
export interface AmendedMeans {
  readonly actions: readonly ActionDescription[]
  readonly checkInputs: CheckInputs
}

/** What a run goes on with after an amendment. Throws `InvalidInput` where that can be known not to work. */
export function chooseAmended(
  run: AmendedRun,
  amendment: Amendment,
  earlier: Words | undefined,
  { actions, checkInputs }: AmendedMeans,
): ChosenWork {
  const work = chooseWork(run, amendment, earlier, checkInputs)
  refuseWhatCannotWork({ ...work, plan: skipSteps(work.plan, work.words.skip), actions })
  return work
}
