import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Action } from '../../../actions/action.ts'
import type { Plan } from '../../../core/plan.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import type { RunArtifacts } from '../artifacts.ts'
import type { CommitQueue } from '../commit-queue.ts'
import type { Journal } from '../journal.ts'
import { placedSteps } from './placed-steps.ts'
import { readWords } from './read-words.ts'
import { readEarlierPlans, readLastWords } from './resume-rows.ts'
import { createSeedPool, type SeedPool } from './seed-pool.ts'
import { openSeedRows, readKept, readRefused, readSeeds, type Seed } from './seed-rows.ts'
import { skipSteps } from './skip-steps.ts'

/** A run as it is carried out after what has been changed of it. */
export interface AmendedWork {
  /** Without the steps that somebody wanted to be skipped. */
  readonly plan: Plan
  /** What was done before it was amended; undefined where it never was. */
  readonly seeds: SeedPool | undefined
}

/** What is worked with. */
export interface AmendedPorts {
  readonly queue: CommitQueue
  readonly journal: Journal
  readonly artifacts: RunArtifacts
  readonly actions: readonly Action[]
}

/** Opens what the last amendment of a run has left to be taken over. */
export function openAmended(
  database: DatabaseSyncInstance,
  { id, plan, isNew }: { readonly id: string; readonly plan: Plan; readonly isNew: boolean },
  { queue, journal, artifacts, actions }: AmendedPorts,
): AmendedWork {
  const words = isNew ? undefined : readLastWords(database, id)
  if (!words) return { plan, seeds: undefined }
  const steps = new Set(
    placedSteps(plan).map(({ path, step }) => `${path} ${step.kind === 'uses' ? step.uses.action.name : ''}`),
  )
  const seeds = createSeedPool({
    seeds: [...readSeeds(database, id), ...readRefused(database, id)],
    kept: readKept(database, id),
    rows: openSeedRows(database),
    words: readWords(words, plan),
    isWrite: findWrites([plan, ...readEarlierPlans(database, id)], actions),
    hasStep: (path, action) => steps.has(`${path} ${action}`),
    journal,
    queue,
    artifacts,
  })
  return { plan: skipSteps(plan, words.skip), seeds }
}

/** Tells the calls that changed something elsewhere, by the plan they were made by. One that is in no plan may have. */
function findWrites(plans: readonly Plan[], actions: readonly Action[]): (seed: Seed) => boolean {
  const indexes = plans.map(createPlanIndex)
  const local = new Set(actions.filter(({ isLocal }) => isLocal).map(({ name }) => name))
  return ({ path, action }) => {
    if (local.has(action)) return false
    const safeties = indexes.flatMap((index) => {
      const step = index.ownerOf(path)?.step
      return step?.kind === 'uses' && step.uses.action.name === action ? [step.uses.action.safety] : []
    })
    return safeties.length === 0 || safeties.some((safety) => safety !== 'read')
  }
}
