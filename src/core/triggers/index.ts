export {
  type DecidedEvent,
  decideEvent,
  type PastStart,
  type ReachedStartLimit,
  type RememberedStart,
  rememberedStart,
  type StartMemory,
  type TriggerName,
  usualKeepKeysMs,
} from './decide-event.ts'
export {
  type Candidate,
  type EventEvaluation,
  eventSource,
  type IncomingEvent,
  type MatchedCandidate,
  type RejectedCandidate,
} from './event-evaluation.ts'
export {
  type EventDecision,
  type EventRecord,
  type NoStartReason,
  noStartReasons,
  type RefusedDelivery,
  splitEventName,
  type TakenBy,
  type TriggerSource,
} from './event-record.ts'
export { platformIncidentType, readPlatformIncident } from './platform-incident.ts'
export {
  type NoFireReason,
  rhythmOf,
  type ScheduleFire,
  type SchedulePause,
  type ScheduleRecord,
  triggerText,
} from './schedule-record.ts'
export { pauseWord, refuseChangedPause, refuseStartedSince, startsWord } from './shown-starts.ts'
