import type { Cancellation, Host } from '../../core/host/index.ts'
import { type Answer, decideAnswer, type Question } from '../../core/people/index.ts'
import { type ScriptedProcess, sleep, stopHere } from './scripted-process.ts'
import { firstReached, recordAnswers } from './test-journal.ts'

/** Asks the people of the script. Their answers come at their times, until one settles the question. */
export async function askPeople(
  question: Question,
  whatEnds: Cancellation,
  process: ScriptedProcess,
): ReturnType<Host['ask']> {
  const { world, clock, journal, interruption } = process
  const { path, timeoutMs = Number.POSITIVE_INFINITY } = question
  const askedMs = firstReached(journal, `asked ${path}`, clock.now())
  const untilMs = askedMs + timeoutMs
  const starters = world.startedBy ? [world.startedBy] : []
  let nowMs = askedMs
  let answers: readonly Answer[] = []
  let refusal: string | undefined
  const coming = world.people?.(path, question) ?? []
  for (const { given, afterMs } of coming instanceof Promise ? await coming : coming) {
    nowMs += afterMs
    await sleep(process, Math.min(nowMs, untilMs), [whatEnds, interruption])
    stopHere(process)
    if (clock.now() < nowMs || nowMs >= untilMs) break
    const decision = decideAnswer({ question, answers, starters, untilMs, nowMs, given })
    if (decision.kind === 'refused') {
      refusal = decision.message
      continue
    }
    answers = decision.answers
    if (decision.kind === 'counted') continue
    recordAnswers(journal, path, answers)
    process.onRecorded(journal.outcomes.size)
    return { isSettled: true, answers }
  }
  if (refusal !== undefined) world.onRefused?.(path, refusal)
  await sleep(process, untilMs, [whatEnds, interruption])
  stopHere(process)
  return { isSettled: false, answers }
}
