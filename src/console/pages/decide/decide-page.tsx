import type { VNode } from 'preact'
import type { Outcome } from '../../../documents/index.ts'
import { type FormField, fieldsOf } from '../../form-fields.ts'
import { CommentField, FieldInputs, HiddenFields } from '../acts/field-inputs.tsx'
import { RefusalNotice } from '../acts/refusal.tsx'
import { useProof, useRefused } from '../acts/shown-state.ts'
import type { StateOf } from '../page-state.ts'
import { FactLine } from '../parts/fact.tsx'
import { LongText } from '../parts/long-text.tsx'
import { ExactMoment } from '../parts/moment.tsx'

const decisions = [
  ['succeeded', 'It was done'],
  ['failed', 'It was not done: the step fails'],
  ['retry', 'Call it again in any case'],
] as const

/** What was sent, when, and how to find out; then what a person has found out. */
export function DecidePage({ data }: StateOf<'decide'>): VNode {
  const { run, outcome } = data
  const { path, action, started_at, attempt, request_id, sent, error, find_out } = outcome
  const refused = useRefused()
  const csrf = useProof('approver')
  return (
    <>
      <div class="head">
        <h1>
          Was {action} done at <span class="path">{path}</span>?
        </h1>
        <a class="push" href={`/runs/${encodeURIComponent(run.run_id)}`}>
          {run.title ?? run.runbook}
        </a>
      </div>
      {refused === undefined ? null : <RefusalNotice refused={refused} />}
      <dl class="planned">
        <FactLine word="Sent">
          <ExactMoment at={started_at} />
          {attempt > 1 ? `, attempt ${attempt}` : ''}
        </FactLine>
        {request_id === undefined ? null : (
          <FactLine word="Request id">
            <code>{request_id}</code>
          </FactLine>
        )}
        <FactLine word="Why">
          {error === undefined ? 'its process ended before there was a result' : error.message}
        </FactLine>
        <FactLine word="Find out">{find_out}</FactLine>
      </dl>
      {sent === undefined ? null : <LongText>{JSON.stringify(sent, null, 2)}</LongText>}
      {csrf === undefined ? (
        <p class="notice held">To resolve it, you need the role approver in a console of "opsbook serve".</p>
      ) : (
        <Decide runId={run.run_id} outcome={outcome} csrf={csrf} given={refused?.given ?? {}} />
      )}
    </>
  )
}

function Decide(props: {
  readonly runId: string
  readonly outcome: Outcome
  readonly csrf: string
  readonly given: NonNullable<ReturnType<typeof useRefused>>['given']
}): VNode {
  const { runId, outcome, csrf, given } = props
  const { path, shown, output, reads, risk } = outcome
  const fields = fieldsOf(output).map((field) => ({
    ...field,
    isRequired: !field.isSecret && isRead(field, reads),
  }))
  const [needed, others] = [fields.filter((one) => one.isRequired), fields.filter((one) => !one.isRequired)]
  return (
    <form
      method="post"
      action={`/runs/${encodeURIComponent(runId)}/decide/${encodeURIComponent(path)}`}
      class="act inputs"
    >
      <HiddenFields given={{ csrf, shown }} />
      <fieldset>
        <legend>What have you found out?</legend>
        {decisions.map(([value, word]) => (
          <label key={value} class="check">
            <input type="radio" name="do" value={value} defaultChecked={given['do'] === value} /> {word}{' '}
            <span class="dim">{value}</span>
          </label>
        ))}
        {risk === 'create' ? (
          <p class="notice held">
            If it was done after all, calling it again does it a second time. Find out first.
          </p>
        ) : null}
      </fieldset>
      <CommentField word="How you know" given={given} />
      {fields.length === 0 ? null : (
        <fieldset class="act inputs if-done">
          <legend>What has it answered?</legend>
          <FieldInputs fields={needed} given={given} />
          {others.length === 0 ? null : (
            <details class="act inputs">
              <summary>Other fields of the answer (optional)</summary>
              <FieldInputs fields={others} given={given} />
            </details>
          )}
        </fieldset>
      )}
      <p>
        <button type="submit" class="main">
          Record the decision
        </button>
      </p>
    </form>
  )
}

function isRead({ path: [name = ''] }: FormField, reads: readonly string[]): boolean {
  return reads.includes(name)
}
