/** The actions that `uses` can name in a project. */
export { type KnownActions, loadActions, loadDescriptions, lookUpActions } from './load-actions.ts'
export { needsDefaultConnection, usesOf } from './uses-of-plan.ts'
