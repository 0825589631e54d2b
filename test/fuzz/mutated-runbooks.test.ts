import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'
import { shippedSources } from './mutated-sources.ts'

describeMutatedRunbooks(shippedSources, 100)
