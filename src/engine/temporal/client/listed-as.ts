import { canonicalHash } from '../../attempt/canonical-hash.ts'
import type { ListedRun } from '../concurrency/messages.ts'
import type { RunStart, ScheduledStart } from '../messages.ts'
import type { RunMemo } from '../run-memo.ts'

/** What stands beside a run on the server: lists and pages show it, and no worker is needed for it. */
export function listedAs(start: RunStart | ScheduledStart, startToken: string): ListedRun {
  const { plan, inputs, key, connection, startedBy } = start
  const startedFrom = 'scheduled' in start ? start.scheduled : start.startedFrom
  const memo: RunMemo = {
    ...(plan.title === undefined ? {} : { title: plan.title }),
    ...(key === undefined ? {} : { key }),
    planHash: plan.hash,
    inputsHash: canonicalHash(inputs),
    startedBy,
    ...('scheduled' in start ? {} : { startedAtMs: start.startedAtMs }),
    ...(startedFrom === undefined ? {} : { startedFrom }),
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
