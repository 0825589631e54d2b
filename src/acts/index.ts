/** What acts share: who acts, what is given in advance, and the refusal of what does not stand as it was shown. */
export { advanceText, requireDefaults } from './given-in-advance.ts'
export { Outdated } from './outdated.ts'
export { readWho, type Who, type WhoFlags, whoSays } from './read-who.ts'
