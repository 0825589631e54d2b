import type { VNode } from 'preact'
import { type Answer, saidText } from '../../../../core/people/index.ts'
import type { QuestionDocument } from '../../../../documents/index.ts'
import { Moment } from '../../parts/moment.tsx'
import { Status } from '../../parts/status.tsx'

/** Questions with their answers: who said what, and when. */
export function QuestionList({ questions }: { readonly questions: readonly QuestionDocument[] }): VNode {
  return (
    <ul class="plain">
      {questions.map(({ path, message, status, asked_at, answers }) => (
        <li key={`${path} ${asked_at}`}>
          <Status
            status={status === 'open' ? 'waiting' : status === 'answered' ? 'succeeded' : 'skipped'}
            word={status}
          />{' '}
          {message} <span class="dim">{path}</span>
          {answers.map((answer) => (
            <span key={answer.at} class="why">
              {answer.approved ? 'yes' : 'no'} by {answer.by.name}, <Moment at={answer.at} />
              <Said answer={answer} />
            </span>
          ))}
        </li>
      ))}
    </ul>
  )
}

/** The values and the comment of an answer. */
function Said({ answer }: { readonly answer: Answer }): VNode | null {
  const said = saidText(answer)
  return said === undefined ? null : <>: {said}</>
}
