/** Runs runbooks in a scripted world and virtual time: no connection is opened, and no real time passes. */

export { stepLines } from './coverage/coverage-points.ts'
export type { ChildCoverage, Coverage, CoverageWithChildren } from './coverage/measure-coverage.ts'
export type { FailedFault, FaultResults } from './faults/run-faults.ts'
export {
  type LoadedTestFile,
  type LoadedTests,
  type LoadTestOptions,
  loadTestFile,
} from './file/load-test-file.ts'
export type {
  AnswerScript,
  CallScript,
  EventScript,
  Expectations,
  Setting,
  TestCase,
  TestFile,
} from './file/test-file.ts'
export { testFileSchema } from './file/test-file-schema.ts'
export { type ObservedRun, observe } from './host/observe.ts'
export { type PlayedRun, type PlayOptions, playRun, usualStartMs } from './host/play-run.ts'
export { createScriptedHost, type ScriptedHost } from './host/scripted-host.ts'
export type {
  HookEvent,
  ScriptedAction,
  ScriptedReply,
  ScriptedWorld,
  WorldAnswer,
} from './host/scripted-world.ts'
export { createTestJournal, type TestJournal } from './host/test-journal.ts'
export { createVirtualClock, type VirtualClock } from './host/virtual-clock.ts'
export type { LiveWorld } from './play/live-world.ts'
export { type MadeRecording, makeRecording, type RecordingSource } from './recording/make-recording.ts'
export { type RecordedCall, type Recording, recordingFile, recordingName } from './recording/recording.ts'
export { repinned } from './recording/repin.ts'
export type { DifferenceKind, MaskShown, RunDifference, Unknown } from './rehearsal/compare-walks.ts'
export type { RecordedRun } from './rehearsal/recorded-run.ts'
export { type RehearseOptions, type RunRehearsal, rehearseRun } from './rehearsal/rehearse-run.ts'
export {
  type RunTestsOptions,
  runTests,
  type TestFileResults,
  type TestResult,
} from './run-tests.ts'
export type { TestFailure } from './test-failure.ts'
export {
  type ExpectationUpdate,
  type TextChange,
  updateExpectations,
} from './update/update-expectations.ts'
