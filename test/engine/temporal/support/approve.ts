import { expect } from 'vitest'
import { systemUserNamed } from '../../../support/identity.ts'
import type { Stage } from './open-stage.ts'

/** Answers the step `ask` of a run with yes, as soon as the run asks. */
export async function approve({ engine }: Pick<Stage, 'engine'>, runId: string): Promise<void> {
  const yes = { approved: true, by: systemUserNamed('ada') }
  const answer = () => engine.answerQuestion(runId, { step: 'ask' }, yes)
  await expect.poll(() => answer().then(() => 'answered', String)).toBe('answered')
}
