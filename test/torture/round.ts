import { createRandom, type Random } from '../fuzz/random.ts'
import { type MeddlingKind, meddlingRounds } from './rounds/index.ts'
import { playKills } from './rounds/kills.ts'
import type { RoundResult } from './rounds/round-result.ts'
import type { SandboxProcess } from './sandbox-process.ts'
import { clearStage, createStage } from './stage.ts'

/** What is done to the run of a round. */
export type RoundKind = 'kills' | MeddlingKind

export const roundKinds: readonly RoundKind[] = ['kills', ...(Object.keys(meddlingRounds) as MeddlingKind[])]

/** The kind that a round has by its seed: as many seeds in a row as there are kinds have all of them. */
export function kindOfSeed(seed: number): RoundKind {
  return roundKinds[seed % roundKinds.length] as RoundKind
}

/** Plays one round: a run, what is done to it, and then the record of the sandbox against the journal. */
export function playRound(
  sandbox: SandboxProcess,
  seed: number,
  kind: RoundKind = kindOfSeed(seed),
): Promise<RoundResult> {
  const random = createRandom(seed)
  // Names of applications have 40 characters at most.
  const tag = `t${seed.toString(36)}`
  return kind === 'kills' ? playKills(sandbox, random, tag) : playMeddling(kind, sandbox, random, tag)
}

async function playMeddling(
  kind: MeddlingKind,
  sandbox: SandboxProcess,
  random: Random,
  tag: string,
): Promise<RoundResult> {
  const stage = createStage(sandbox, random, tag)
  try {
    await meddlingRounds[kind](stage)
  } catch (error) {
    stage.complaints.push(`the round could not be played: ${(error as Error).message}`)
  } finally {
    await stage.endAll()
  }
  const status = stage.journal()?.run.status ?? 'nothing'
  clearStage(stage)
  const { story, struck } = stage
  return { story, struck, statuses: [status], complaints: [...new Set(stage.complaints)] }
}
