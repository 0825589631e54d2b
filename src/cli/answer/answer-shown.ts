import type { GivenAnswer, RecordedAnswer } from '../../core/people/index.ts'
import { answeredWord, answererText, type RunState } from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import type { Done } from '../shared/context.ts'
import { countText } from '../shared/terminal/quantity-text.ts'

/** The questions of one step that are answered together: `--all` with the word that `inbox` printed. */
export interface ShownQuestions {
  readonly run: RunState
  readonly step: string
  readonly shown: string
}

/** Gives one answer to all questions that were shown together, or to none. */
export async function answerShown(
  { run, step, shown }: ShownQuestions,
  answer: GivenAnswer,
  engine: Engine,
): Promise<Omit<Done, 'next'>> {
  const recorded = await engine.answerShown(run.run_id, step, shown, answer)
  const status = answeredWord(answer)
  const { by } = answer
  const answers = recorded.map(({ step: path, count, needed }) => ({ step: path, count, needed }))
  const who = answererText(by)
  return {
    document: { run_id: run.run_id, step, status, by, answered: recorded.length, answers },
    text: `${countText(recorded.length, 'question')} of ${step} of ${run.run_id} were ${status} by ${who}${openText(recorded)}`,
  }
}

/** How many of the questions need more people. */
function openText(recorded: readonly RecordedAnswer[]): string {
  const open = recorded.filter(({ kind }) => kind === 'counted').length
  return open === 0 ? '' : `; ${open} of them need another person`
}
