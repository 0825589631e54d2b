export { createScrubber, type Scrubber, secretsOf, shortestKey } from './scrub.ts'
