/** A runbook, compiled: the shape of a plan, the way through its steps, and the numbers that its inputs decide. */
export type { InputSetting } from './input-setting.ts'
export type {
  CatchPlan,
  ChoicePlan,
  ExpectationPlan,
  ForEachPlan,
  ListenPlan,
  Plan,
  RepeatPlan,
  RetryPolicy,
  SecretPosition,
  StepPlan,
  ThrottlePolicy,
  Tolerance,
  TriggerPlan,
  TurnsPlan,
  UsesPlan,
  UsesStepPlan,
} from './plan.ts'
export {
  actionName,
  asksForApproval,
  callingSteps,
  caughtSteps,
  changeCaughtSteps,
  changeInnerSteps,
  childOf,
  everyStep,
  hasCleanUp,
  innerSteps,
  isLoop,
  readsUrl,
  stepsOf,
} from './plan-walk.ts'
export { secretNames, withSecrets } from './secrets.ts'
export { readSetting, type Settled, settled } from './settings.ts'
export {
  catchPath,
  catchSegment,
  stepAddressOfCall,
  stepIdOf,
  stepPathOf,
  withoutPositions,
} from './step-address.ts'
