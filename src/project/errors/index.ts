/** What errors say to people and programs, and what kind each of them is. */
export { type ErrorFacts, errorFacts, namingDamage } from './error-facts.ts'
export { connectionCodes, kindOfError, localCodes } from './kind-of-error.ts'
