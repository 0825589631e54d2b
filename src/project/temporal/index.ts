/** The same on a Temporal server: what loads the packages of Temporal. */
export { openTemporal, openTemporalEvents, withTemporalClient } from './open-temporal.ts'
export { actionsOfQueue, readTemporalSettings } from './temporal-settings.ts'
