import type { VNode } from 'preact'
import type { InboxEntry } from '../../../documents/index.ts'
import { fieldsOfAnswer } from '../../form-fields.ts'
import { CommentField, FieldInputs, HiddenFields } from './field-inputs.tsx'
import { NeededRole } from './needed-role.tsx'
import { isOf, RefusalNotice } from './refusal.tsx'
import { usePlace, useProof, useRefused } from './shown-state.ts'

/** Answers what an entry shows. Without scripts too: the server reads the fields, and says what is wrong. */
export function AnswerForm({
  entry,
}: {
  readonly entry: Extract<InboxEntry, { kind: 'question' }>
}): VNode | null {
  const csrf = useProof('approver')
  const back = usePlace()
  const refused = useRefused()
  const { run_id, shown, questions, count } = entry
  const [first] = questions
  if (first === undefined) return null
  if (csrf === undefined) return <NeededRole needs="approver" to="answer" />
  const mine = refused !== undefined && isOf(refused, entry) ? refused : undefined
  const given = mine?.given ?? {}
  const { schema } = first
  return (
    <form method="post" action={`/runs/${encodeURIComponent(run_id)}/answers`} class="act">
      {mine === undefined ? null : <RefusalNotice refused={mine} />}
      <HiddenFields given={{ csrf, back, step: count === 1 ? first.path : entry.step, shown }} />
      <div class="fields">
        <FieldInputs fields={fieldsOfAnswer(first)} given={given} />
        <CommentField given={given} />
        {schema === undefined ? (
          <div class="buttons">
            <button type="submit" name="do" value="approve" class="main">
              {count === 1 ? 'Approve' : `Approve all ${count}`}
            </button>
            <button type="submit" name="do" value="reject">
              {count === 1 ? 'Reject' : `Reject all ${count}`}
            </button>
          </div>
        ) : (
          <button type="submit" name="do" value="answer" class="main">
            {count === 1 ? 'Answer' : `Answer all ${count}`}
          </button>
        )}
      </div>
    </form>
  )
}
