import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'
import { caseSources, shippedSources } from './mutated-sources.ts'

/** Every change is made, and every node is changed: each change to another part of the nodes. */
const partOf =
  (parts: number) =>
  (node: number, change: number): boolean =>
    (node + change) % parts === 0

describeMutatedRunbooks(shippedSources, partOf(5))
describeMutatedRunbooks(caseSources(), partOf(5))
