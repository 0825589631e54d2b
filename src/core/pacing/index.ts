export {
  connectionSubject,
  countUse,
  describeUse,
  fullestOf,
  type LimitedSubject,
  namedSubject,
  type RateReading,
  type RateUse,
  subjectOfKey,
  type WindowsUse,
} from './rate-use.ts'
export {
  createRateState,
  freeFrom,
  markAnswered,
  markSent,
  type RateState,
  type RateWindow,
  removeSlot,
  reserve,
  reserveAhead,
  windowsOf,
} from './rate-windows.ts'
