import type { VNode } from 'preact'
import { coversLines } from '../../../core/approval/index.ts'
import type { QuestionRecord } from '../../../core/people/index.ts'
import type { InboxEntry } from '../../../documents/index.ts'
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lists are scrolled with the keyboard
    <ul class="plain asked" tabIndex={0} aria-label="Questions that one answer is for">
      {questions.map((question) => (
        <li key={question.path}>
          <span class="path">{question.path}</span> {question.message}
          <Facts question={question} />
        </li>
      ))}
    </ul>
  )
}

function Facts({ question }: { readonly question: QuestionRecord }): VNode | null {
  const { covers, answers = [], from } = question
  const lines = covers === undefined ? [] : coversLines(covers)
  if (lines.length === 0 && answers.length === 0 && from === undefined) return null
  return (
    <>
      {lines.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long calls are scrolled with the keyboard
        <pre tabIndex={0}>{lines.join('\n')}</pre>
      )}
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
