import { defineQuery, defineUpdate, setHandler, upsertSearchAttributes } from '@temporalio/workflow'
import type { RunOutcome } from '../../../core/interpret.ts'
import {
  type AnswerOrder,
  answerUpdate,
  type EventsPage,
  eventsQuery,
  type RunStart,
  type RunStateAnswer,
  stateQuery,
  wishUpdate,
} from '../messages.ts'
import type { Recorder } from './create-recorder.ts'
import type { Questions } from './questions.ts'
import type { RunControl, Wish } from './run-control.ts'

/** What clients ask about, and whom they talk to. */
export interface ClientPorts {
  readonly start: RunStart
  readonly recorder: Recorder
  readonly control: RunControl
  readonly questions: Questions
}

/** Answers the queries and updates of clients, from the first moment of the run to its end. */
export function serveClients({ recorder, control, questions }: ClientPorts): {
  end(outcome: RunOutcome): void
} {
  let isOver = false
  const statusNow = (): RunStateAnswer['status'] => {
    if (isOver) return 'ended'
    if (control.isPaused) return 'paused'
    return questions.list().some(({ status }) => status === 'open') ? 'waiting' : 'running'
  }
  setHandler(defineQuery<EventsPage, [number]>(eventsQuery), (afterSeq) => recorder.page(afterSeq))
  setHandler(defineQuery<RunStateAnswer>(stateQuery), () => ({
    status: statusNow(),
    steps: recorder.steps(),
    questions: questions.list(),
    resumes: [],
    decisions: [],
    wishes: control.wishes(),
  }))
  setHandler(defineUpdate<void, [Wish]>(wishUpdate), (wish) => control.obey(wish))
  setHandler(defineUpdate<string, [AnswerOrder]>(answerUpdate), (order) => questions.answer(order), {
    validator: (order) => void questions.choose(order),
  })
  return {
    end({ status }) {
      isOver = true
      upsertSearchAttributes({ OpsbookStatus: [status] })
    },
  }
}
