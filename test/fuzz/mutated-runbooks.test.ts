import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'
import { shippedSources } from './mutated-sources.ts'

// Every three hundredth node; the long test changes the others.
describeMutatedRunbooks(shippedSources, (node) => node % 300 === 0)
