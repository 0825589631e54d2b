import type { VNode } from 'preact'
import type { QuestionRecord } from '../../../core/people/index.ts'
import type { InboxEntry } from '../../../documents/index.ts'
import { Folded, PermittedCalls } from './permitted-calls.tsx'
import { answerPolicyText } from './policy-text.ts'

/** What a person has to see before an answer: each question that it is for, what a yes permits, and who has answered. */
export function AskedQuestions({
  entry,
}: {
  readonly entry: Extract<InboxEntry, { kind: 'question' }>
}): VNode | null {
  const { questions, count } = entry
  if (count === 1 && questions[0]) return <Facts question={questions[0]} />
  return (
    <section class="asked" aria-label="Questions that one answer is for">
      <Folded most={5}>
        {questions.map((question) => (
          <div key={question.path}>
            <span class="path">{question.path}</span> {question.message}
            <Facts question={question} />
          </div>
        ))}
      </Folded>
    </section>
  )
}

function Facts({ question }: { readonly question: QuestionRecord }): VNode | null {
  const { covers, answers = [], from } = question
  if (covers === undefined && answers.length === 0 && from === undefined) return null
  return (
    <>
      {covers === undefined ? null : <PermittedCalls covers={covers} />}
      {from === undefined ? null : <p class="dim">{answerPolicyText(from)}</p>}
      {answers.map(({ by, approved, comment }) => (
        <p key={by.name} class="dim">
          {by.name} has said {approved ? 'yes' : 'no'}
          {comment === undefined ? '' : `: ${comment}`}
        </p>
      ))}
    </>
  )
}
