import type { VNode } from 'preact'
import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import type { QuestionRecord } from '../../../core/people/index.ts'
import { choicesOf, longestComment } from '../../../core/people/index.ts'
import type { InboxEntry } from '../../../documents/index.ts'
import { valueText } from '../../form-fields.ts'
import { limitsText } from '../../limits-text.ts'
import type { PageState } from '../../state.ts'
import { NeededRole } from './needed-role.tsx'
import { isOf, RefusalNotice } from './refusal.tsx'
import { usePlace, useProof, useRefused } from './shown-state.ts'

type Given = NonNullable<PageState['refused']>['given']

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
      <input type="hidden" name="csrf" value={csrf} />
      <input type="hidden" name="back" value={back} />
      <input type="hidden" name="step" value={count === 1 ? first.path : entry.step} />
      <input type="hidden" name="shown" value={shown} />
      <div class="fields">
        {fieldsIn(schema).map(([name, field]) => (
          <Field key={name} question={first} name={name} field={field} given={given} />
        ))}
        <label>
          Comment
          <input name="comment" maxLength={longestComment} defaultValue={textIn(given, 'comment')} />
        </label>
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

function fieldsIn(schema: QuestionRecord['schema']): readonly (readonly [string, JsonObject])[] {
  const properties = isJsonObject(schema?.['properties']) ? schema['properties'] : {}
  return Object.entries(properties).map(([name, field]) => [name, isJsonObject(field) ? field : {}])
}

function Field(props: {
  readonly question: QuestionRecord
  readonly name: string
  readonly field: JsonObject
  readonly given: Given
}): VNode {
  const { question, name, field, given } = props
  const { title = name, description } = field
  const required = question.schema?.['required']
  const isRequired = Array.isArray(required) && required.includes(name)
  const usual = isJsonObject(question.default) ? question.default[name] : undefined
  const empty = usual !== undefined ? valueText(usual) : isRequired ? undefined : 'left out'
  const choices = choicesOf(question, name)
  const isList = field['type'] === 'array'
  const about = [
    title === name ? '' : String(title),
    description === undefined || description === title ? '' : String(description),
    isList && choices === undefined ? 'a, b, …' : '',
    empty === undefined ? 'required' : `empty: ${empty}`,
  ].filter(Boolean)
  const limits = limitsText(field)
  const label = (
    <span>
      {name} <small>{about.join('; ')}</small>
    </span>
  )
  if (choices === undefined)
    return (
      <label>
        {label}
        <input name={`set:${name}`} defaultValue={textIn(given, `set:${name}`)} />
        {limits === '' ? null : <small>{limits}</small>}
      </label>
    )
  const chosen = [given[`choice:${name}`] ?? []].flat()
  return (
    <label>
      {label}
      <select name={`choice:${name}`} multiple={isList}>
        {isList ? null : <option value="">–</option>}
        {choices.map((choice, position) => (
          <option
            key={JSON.stringify(choice)}
            value={String(position)}
            selected={chosen.includes(String(position))}
          >
            {valueText(choice)}
          </option>
        ))}
      </select>
    </label>
  )
}

function textIn(given: Given, name: string): string {
  return [given[name] ?? ''].flat()[0] ?? ''
}
