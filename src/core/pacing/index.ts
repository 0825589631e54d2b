export {
  connectionSubject,
  countUse,
  describeUse,
  fullestOf,
  type RateUse,
  subjectOfKey,
  type WindowsUse,
} from './rate-use.ts'
export {
  countAllNow,
  createRateState,
  freeFrom,
  markAnswered,
  markSent,
  moveSent,
  type RateState,
  type RateWindow,
  removeSlot,
  reserve,
  reserveAhead,
  windowsOf,
} from './rate-windows.ts'
