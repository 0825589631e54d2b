import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kindOfSeed, playRound, roundKinds } from './round.ts'
import type { RoundResult } from './rounds/round-result.ts'
import { startSandboxProcess } from './sandbox-process.ts'
import { temporalKinds } from './temporal/blows.ts'
import { startCluster } from './temporal/cluster.ts'
import { playTemporalRound, temporalKindOfSeed } from './temporal/round.ts'
import { playTargetsRound } from './temporal/targets-round.ts'

/** Rounds of one engine. */
export interface Rounds {
  /** Plays one, of the kind that its seed has or of this kind. */
  play(seed: number, kind: string | undefined): Promise<RoundResult>
  close(): Promise<void>
}

/** What can be tortured. */
export interface TorturedEngine {
  readonly kinds: readonly string[]
  kindOfSeed(seed: number): string
  open(): Promise<Rounds>
}

/** The engines, by their names. */
export const torturedEngines: Readonly<Record<string, TorturedEngine>> = {
  embedded: {
    kinds: roundKinds,
    kindOfSeed,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'opsbook-torture-sandbox-'))
      const sandbox = await startSandboxProcess(join(folder, 'state.json'))
      return {
        play: (seed, kind) =>
          playRound(
            sandbox,
            seed,
            roundKinds.find((one) => one === kind),
          ),
        async close() {
          await sandbox.close()
          rmSync(folder, { recursive: true })
        },
      }
    },
  },
  temporal: {
    kinds: [...temporalKinds, 'targets', 'crowd'],
    kindOfSeed: temporalKindOfSeed,
    async open() {
      const cluster = await startCluster()
      return {
        play(seed, kind) {
          if (kind === 'targets') return playTargetsRound(cluster, seed)
          if (kind === 'crowd') return playTargetsRound(cluster, seed, { runs: 100, blows: 0 })
          const played = temporalKinds.find((one) => one === kind)
          return playTemporalRound(cluster, seed, played === undefined ? {} : { kind: played })
        },
        close: () => cluster.close(),
      }
    },
  },
}
