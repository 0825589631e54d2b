export { evaluateEvent } from './evaluate-event.ts'
export type { TriggeredRunbook } from './read-trigger.ts'
export { withoutSecrets } from './without-secrets.ts'
