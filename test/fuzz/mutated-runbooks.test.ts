import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'
import { shippedSources } from './mutated-sources.ts'

// Every hundred and fiftieth node; the long test changes the others.
describeMutatedRunbooks(shippedSources, (node) => node % 150 === 0)
