export { damagedDatabase, isDamage } from './damaged-database.ts'
export type {
  AskedHere,
  AskHere,
  EndedAtServer,
  Engine,
  FollowOptions,
  Inbox,
  OpenCall,
  ResumeDependencies,
  RunFile,
  RunFilter,
  ServerEnd,
  UnreadRun,
  UnresolvedCall,
  Verdict,
  WaitingRun,
} from './engine.ts'
export type { EventFilter, EventStore, TriggerPause } from './event-store.ts'
export { fileProblem } from './file-problem.ts'
export { libraryFolder } from './library-folder.ts'
export { explainMissingPackages } from './missing-packages.ts'
export { type Opened, openTogether } from './opened.ts'
export { createRetryDeadline, untilAnswered } from './retry-while-unavailable.ts'
export type { ScheduleStore } from './schedule-store.ts'
export { type WebPageProblem, webPageProblem } from './web-page-problem.ts'
