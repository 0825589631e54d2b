/** The kinds of rounds: what is done to a run besides ending its processes. */
import type { Stage } from '../stage.ts'
import { playAnswers } from './answers.ts'
import { playCancels } from './cancels.ts'
import { playDecisions } from './decisions.ts'
import { playKeys } from './keys.ts'
import { playNeighbours } from './neighbours.ts'
import { playPauses } from './pauses.ts'
import { playRivals } from './rivals.ts'

export type MeddlingKind = 'answers' | 'cancels' | 'pauses' | 'decisions' | 'rivals' | 'neighbours' | 'keys'

/** Plays one round on a stage, complaints included. */
export const meddlingRounds: Readonly<Record<MeddlingKind, (stage: Stage) => Promise<void>>> = {
  answers: playAnswers,
  cancels: playCancels,
  pauses: playPauses,
  decisions: playDecisions,
  rivals: playRivals,
  neighbours: playNeighbours,
  keys: playKeys,
}
