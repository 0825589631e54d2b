import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { longestComment } from '../../../core/people/index.ts'
import { type FormField, valueText } from '../../form-fields.ts'
import { limitsText } from '../../limits-text.ts'
import type { PageState } from '../../state.ts'

/** The fields of a form as they were sent. */
export type Given = NonNullable<PageState['refused']>['given']

/** Fields to fill in. Without scripts too: the server reads them, and says what is wrong. */
export function FieldInputs(props: {
  readonly fields: readonly FormField[]
  readonly given: Given
  /** What is required has to be filled in, whatever else the form says. */
  readonly isWhole?: true
}): VNode {
  const { fields, given, isWhole } = props
  return (
    <>
      {fields.map((field) => (
        <Field key={field.name} field={field} given={given} isWhole={isWhole === true} />
      ))}
    </>
  )
}

interface OneField {
  readonly field: FormField
  readonly given: Given
  readonly isWhole: boolean
}

function Field({ field, given, isWhole }: OneField): VNode {
  const id = useId()
  const limits = limitsText(field.schema)
  return (
    <label htmlFor={id}>
      <span>
        {field.name} <small>{aboutOf(field)}</small>
      </span>
      <Input id={id} field={field} given={given} isWhole={isWhole} />
      {limits === '' ? null : <small>{limits}</small>}
    </label>
  )
}

function Input({ id, field, given, isWhole }: OneField & { readonly id: string }): VNode {
  const { name, kind, isSecret, isRequired, usual } = field
  // No other rule of the schema holds for what is typed: a text can be quoted, and a number written in several ways.
  const required = (isWhole || isSecret) && isRequired && usual === undefined
  const text = { id, name: `set:${name}`, defaultValue: textIn(given, `set:${name}`), required }
  if (field.choices !== undefined) return <Choices id={id} field={field} given={given} required={required} />
  if (isSecret) return <input {...text} type="password" autoComplete="off" />
  switch (kind) {
    case 'long-text':
    case 'yaml':
      return <textarea {...text} rows={kind === 'yaml' ? 3 : 5} class={kind === 'yaml' ? 'code' : ''} />
    case 'date':
      return <input {...text} type="date" />
    case 'number':
      return <input {...text} inputMode="decimal" />
    default:
      return <input {...text} />
  }
}

function Choices({
  id,
  field,
  given,
  required,
}: Pick<OneField, 'field' | 'given'> & { readonly id: string; readonly required: boolean }): VNode {
  const { name, kind, choices = [], isRequired } = field
  const isList = kind === 'choices'
  const sent = given[`choice:${name}`]
  // The only value of a field that is needed is chosen already.
  const chosen = sent === undefined ? (isRequired && choices.length === 1 ? ['0'] : []) : [sent].flat()
  return (
    <select id={id} name={`choice:${name}`} multiple={isList} required={required}>
      {isList ? null : <option value="">–</option>}
      {choices.map(({ title, value }, position) => (
        <option
          key={JSON.stringify(value)}
          value={String(position)}
          selected={chosen.includes(String(position))}
        >
          {title}
        </option>
      ))}
    </select>
  )
}

function aboutOf({ name, kind, schema, isRequired, isSecret, usual }: FormField): string {
  const { title = name, description } = schema
  const empty = usual !== undefined && !isSecret ? `empty: ${valueText(usual)}` : 'left out if empty'
  return [
    title === name ? '' : String(title),
    description === undefined || description === title ? '' : String(description),
    kind === 'list' ? 'a, b, …' : kind === 'yaml' ? 'YAML' : '',
    isRequired && usual === undefined
      ? 'required'
      : isSecret && usual !== undefined
        ? 'has a default'
        : empty,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** What a form sends besides: what proves its session, and what was shown. */
export function HiddenFields({ given }: { readonly given: Given }): VNode {
  return (
    <>
      {Object.entries(given).flatMap(([name, values]) =>
        [values]
          .flat()
          .map((value) => <input key={`${name} ${value}`} type="hidden" name={name} value={value} />),
      )}
    </>
  )
}

/** What a person says about an act. */
export function CommentField({
  word = 'Comment',
  given = {},
}: {
  readonly word?: string
  readonly given?: Given
}): VNode {
  return (
    <label>
      {word}
      <input name="comment" maxLength={longestComment} defaultValue={textIn(given, 'comment')} />
    </label>
  )
}

/** The text of a field as it was sent. */
function textIn(given: Given, name: string): string {
  return [given[name] ?? ''].flat()[0] ?? ''
}
