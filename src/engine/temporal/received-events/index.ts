export { type EventStoreOptions, openEventStore, type TemporalEventStore } from './event-store.ts'
export type { MissedTimes } from './messages.ts'
