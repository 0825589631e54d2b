import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ActionDescription } from '../../../core/action.ts'
import { findWrites } from '../../../core/amend/find-writes.ts'
import { hasStepIn } from '../../../core/amend/placed-steps.ts'
import { readWords } from '../../../core/amend/read-words.ts'
import { createSeedPool, type SeedPool } from '../../../core/amend/seed-pool.ts'
import { skipSteps } from '../../../core/amend/skip-steps.ts'
import { isJsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan.ts'
import { placeOfCall } from '../../../core/record/place-of-call.ts'
import type { RunArtifacts } from '../artifacts.ts'
import type { CommitQueue } from '../commit-queue.ts'
import { readEarlierPlans, readLastWords } from './resume-rows.ts'
import { openSeedRows, readKept, readRefused, readSeeds, type SeedOutcome } from './seed-rows.ts'

/** A run as it is carried out after what has been changed of it. */
export interface AmendedWork {
  /** Without the steps that somebody wanted to be skipped. */
  readonly plan: Plan
  /** What was done before it was amended; undefined where it never was. */
  readonly seeds: OpenedSeeds | undefined
}

/** What was done before, to be taken over, and what it came to. */
export interface OpenedSeeds extends SeedPool {
  read(id: number): SeedOutcome
}

/** What is worked with. */
export interface AmendedPorts {
  readonly queue: CommitQueue
  readonly artifacts: RunArtifacts
  readonly actions: readonly ActionDescription[]
}

/** Opens what the last amendment of a run has left to be taken over. */
export function openAmended(
  database: DatabaseSyncInstance,
  { id, plan, isNew }: { readonly id: string; readonly plan: Plan; readonly isNew: boolean },
  { queue, artifacts, actions }: AmendedPorts,
): AmendedWork {
  const words = isNew ? undefined : readLastWords(database, id)
  if (!words) return { plan, seeds: undefined }
  const rows = openSeedRows(database)
  const local = new Set(actions.filter(({ isLocal }) => isLocal).map(({ name }) => name))
  const pool = createSeedPool({
    seeds: [...readSeeds(database, id), ...readRefused(database, id)],
    kept: readKept(database, id),
    words: readWords(words, plan),
    isWrite: findWrites([plan, ...readEarlierPlans(database, id)], local),
    hasStep: hasStepIn(plan),
    takeFile(seed, call) {
      const { output } = rows.read(seed.id)
      const file = isJsonObject(output) ? output['path'] : undefined
      if (typeof file !== 'string') return true
      return artifacts.takeOver(file, placeOfCall(seed.path), placeOfCall(call.path))
    },
    giveUp: ({ id: seed }) => queue.ride(() => rows.giveUp(seed)),
  })
  return { plan: skipSteps(plan, words.skip), seeds: { ...pool, read: rows.read } }
}
