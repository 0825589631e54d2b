import { canonicalHash } from '../../attempt/canonical-hash.ts'
import type { ListedRun } from '../alone/messages.ts'
import type { RunStart } from '../messages.ts'
import type { RunMemo } from '../run-memo.ts'

/** What stands beside a run on the server: lists and pages show it, and no worker is needed for it. */
export function listedAs(
  { plan, inputs, key, connection, startedBy, startedAtMs }: RunStart,
  startToken: string,
): ListedRun {
  const memo: RunMemo = {
    ...(plan.title === undefined ? {} : { title: plan.title }),
    ...(key === undefined ? {} : { key }),
    planHash: plan.hash,
    inputsHash: canonicalHash(inputs),
    startedBy,
    startedAtMs,
    ...(connection === undefined ? {} : { connection }),
    startToken,
  }
  return {
    searchAttributes: {
      OpsbookRunbook: [plan.name],
      OpsbookStatus: ['running'],
      OpsbookLabels: Object.entries(plan.labels ?? {}).map(([name, value]) => `${name}=${value}`),
    },
    memo: { ...memo },
    staticSummary: plan.title ?? plan.name,
  }
}
