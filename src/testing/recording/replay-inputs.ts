import type { ActionDescription } from '../../core/action.ts'
import type { CallRequest } from '../../core/host/index.ts'
import type { JsonObject } from '../../core/json.ts'
import type { QuestionRecord } from '../../core/people/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import { createPlanIndex } from '../../core/record/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { playRun } from '../host/play-run.ts'
import type { ScriptedReply, WorldAnswer } from '../host/scripted-world.ts'
import { testFacts } from '../host/test-facts.ts'
import { answerOfRecording, inputAsShown } from './find-recorded.ts'
import type { RecordedCall } from './recording.ts'

/** A run to play again with its recorded results. */
export interface ReplayedRun {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly calls: readonly RecordedCall[]
  readonly questions: readonly QuestionRecord[]
  readonly actions: readonly ActionDescription[]
}

/**
 * The arguments of each call, by `path#attempt`: the run is played once more with its recorded results, as tests play
 * it. Journals do not keep the arguments of reads. Calls that this does not reach are left out.
 */
export async function replayInputs({
  plan,
  inputs,
  calls,
  questions,
  actions,
}: ReplayedRun): Promise<ReadonlyMap<string, JsonObject>> {
  const index = createPlanIndex(plan)
  const found = new Map<string, JsonObject>()
  const recorded = new Map(calls.map((call) => [`${call.path}#${call.attempt}`, call]))
  const answer = (request: CallRequest): WorldAnswer => {
    const key = `${request.path}#${request.attempt}`
    found.set(key, inputAsShown(index, request))
    const call = recorded.get(key)
    if (call) return answerOfRecording(call)
    if (request.action === 'core/write') return answerOfRecording({})
    throw new RunbookError('UnscriptedCall', 'the journal has no result', {
      path: request.path,
      endsRun: true,
    })
  }
  const people = (path: string): readonly ScriptedReply[] =>
    questions
      .filter((question) => question.path === path && !question.is_superseded)
      .flatMap(({ answers }) => answers.map(({ at: _at, ...given }) => ({ given, afterMs: 1000 })))
  try {
    await playRun(plan, inputs, { actions, answer, people }, { facts: testFacts(plan) })
  } catch {
    // It waits for an event, or its inputs no longer fit: what was reached is known.
  }
  return found
}
