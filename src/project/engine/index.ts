/** The engine that the configuration chooses, and where its runs are. */
export { chooseEngine, type EngineKind } from './choose-engine.ts'
export { readLocation } from './read-location.ts'
export { withEngine, withEventStore } from './with-engine.ts'
