/** The names under which the events are recorded that a run waits for. */
export { type CallbackAddresses, callbackHook, callbackTokens, isCallback } from './callbacks.ts'
export { callbackNames, listenedHooks, listeningSteps } from './listened-hooks.ts'
export { canBeWanted, type WantedField, wantedFields } from './wanted-events.ts'
