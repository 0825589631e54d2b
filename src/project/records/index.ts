/** The records of runs, and what of them is secret. */
export { findRun, findRunState, refuseVagueLatest } from './find-run.ts'
export {
  hideFields,
  hideSensitiveInputs,
  isOfInputs,
  learnFromEvent,
  learnSecrets,
  sensitiveIn,
} from './learn-secrets.ts'
export { isAnswerRead, outputsRead, unknownOutputs } from './outputs-read.ts'
export { readItemNames } from './read-item-names.ts'
export {
  loadKnownActions,
  outputsWords,
  readsOfCall,
  readUnknownCalls,
  readUnknownOutcomes,
  type UnknownCall,
} from './unknown-outcomes.ts'
