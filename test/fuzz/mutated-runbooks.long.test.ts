import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'
import { caseSources, shippedSources } from './mutated-sources.ts'

describeMutatedRunbooks(shippedSources, 5)
describeMutatedRunbooks(caseSources(), 5)
