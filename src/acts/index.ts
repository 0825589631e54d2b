/** What all acts share: who acts, and the refusal of what does not stand as it was shown. */
export { Outdated } from './outdated.ts'
export { readWho, type Who, type WhoFlags, whoIs } from './read-who.ts'
