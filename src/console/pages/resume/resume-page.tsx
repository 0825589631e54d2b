import type { VNode } from 'preact'
import type { StepComparison, StepFate } from '../../../core/resume/index.ts'
import { fateWords } from '../../../view/text/index.ts'
import { fieldsOf } from '../../form-fields.ts'
import { ExactForm } from '../acts/exact-form.tsx'
import { FieldInputs, type Given } from '../acts/field-inputs.tsx'
import { RefusalNotice } from '../acts/refusal.tsx'
import { useProof, useRefused } from '../acts/shown-state.ts'
import type { ComparedResume, StateOf } from '../page-state.ts'
import { Table } from '../parts/table.tsx'

const words: Readonly<Record<StepFate, string>> = { ...fateWords, depends: 'depends on its arguments' }

/** What a resume would do to each step, what can be changed, and the resume of exactly that. */
export function ResumePage({ data }: StateOf<'resume'>): VNode {
  const { run, compared, inbox } = data
  const refused = useRefused()
  const csrf = useProof('operator')
  const unresolved = (inbox?.waiting ?? []).filter(({ kind }) => kind === 'unknown_outcome')
  const needsChoice = compared.comparison.steps.some(({ fate }) => fate === 'needs-choice')
  return (
    <>
      <div class="head">
        <h1>Resume {run.title ?? run.runbook}</h1>
        <a class="push id" href={`/runs/${encodeURIComponent(run.run_id)}`}>
          {run.run_id}
        </a>
      </div>
      {refused === undefined ? null : <RefusalNotice refused={refused} />}
      {unresolved.length === 0 ? null : (
        <p class="notice held">
          The outcome of {unresolved.length === 1 ? 'a call' : `${unresolved.length} calls`} is unknown.
          Resolve it on <a href={`/runs/${encodeURIComponent(run.run_id)}`}>the page of the run</a> first.
        </p>
      )}
      <p>
        {compared.comparison.plan_hash === compared.comparison.plan_hash_before
          ? 'With the runbook that it was started with'
          : 'With the runbook as its file is now'}
        {compared.comparison.changed_inputs.length === 0
          ? '.'
          : ` and other inputs: ${compared.comparison.changed_inputs.join(', ')}.`}
      </p>
      {csrf === undefined ? (
        <>
          <Steps compared={compared} given={{}} isForm={false} />
          <p class="notice held">
            To resume runs, you need the role operator in a console of "opsbook serve".
          </p>
        </>
      ) : (
        <>
          <Changes
            compared={compared}
            runId={run.run_id}
            csrf={csrf}
            given={compared.given ?? refused?.given ?? {}}
          />
          {needsChoice ? (
            <p class="notice held">
              A step changed after a write was sent. Choose to repeat or keep it first.
            </p>
          ) : unresolved.length === 0 ? (
            <Begin compared={compared} runId={run.run_id} csrf={csrf} />
          ) : null}
        </>
      )}
    </>
  )
}

interface Form {
  readonly compared: ComparedResume
  readonly runId: string
  readonly csrf: string
}

function Changes({ compared, runId, csrf, given }: Form & { readonly given: Given }): VNode {
  const fields = fieldsOf(compared.inputs)
  return (
    <form method="post" action={`/runs/${encodeURIComponent(runId)}/comparison`} class="act">
      <input type="hidden" name="csrf" value={csrf} />
      <Steps compared={compared} given={given} isForm={true} />
      {compared.has_newer || given['newest'] !== undefined ? (
        <label class="check">
          <input type="checkbox" name="newest" value="yes" defaultChecked={given['newest'] !== undefined} />{' '}
          With the runbook as its file is now
        </label>
      ) : null}
      {fields.length === 0 ? null : (
        <details class="act inputs">
          <summary>Other inputs</summary>
          <p class="dim">What you leave empty stays as it is.</p>
          <FieldInputs
            fields={fields.map(({ usual: _, ...field }) => ({ ...field, isRequired: false }))}
            given={given}
          />
        </details>
      )}
      <p>
        <button type="submit">Update preview</button>
      </p>
    </form>
  )
}

function Begin({ compared, runId, csrf }: Form): VNode {
  const { shown, given = {}, inputs, comparison } = compared
  const secrets = fieldsOf(inputs).filter(
    ({ isSecret, path: [name = ''] }) => isSecret && comparison.changed_inputs.includes(name),
  )
  return (
    <ExactForm
      action={`/runs/${encodeURIComponent(runId)}/resume`}
      csrf={csrf}
      names={{ shown }}
      given={given}
      secrets={secrets}
      word="Resume"
    />
  )
}

function Steps(props: {
  readonly compared: ComparedResume
  readonly given: Given
  readonly isForm: boolean
}): VNode {
  const { compared, given, isForm } = props
  return (
    <Table
      kind="rows dense stack"
      caption="What happens to each step"
      columns={['What happens', 'Step', 'Why', ...(isForm ? ['Change to'] : [])]}
    >
      {compared.comparison.steps.map((step) => (
        <tr key={step.path}>
          <td class={step.fate === 'needs-choice' ? 'bad' : ''}>{words[step.fate]}</td>
          <td>
            <span class="path">{step.path}</span> <span class="dim">{step.action}</span>
          </td>
          <td class="wide">{whyText(step)}</td>
          {isForm ? (
            <td data-word="change to">
              <ChangeTo path={step.path} given={given} />
            </td>
          ) : null}
        </tr>
      ))}
    </Table>
  )
}

function ChangeTo({ path, given }: { readonly path: string; readonly given: Given }): VNode {
  const chosen = given[`step:${path}`]
  return (
    <select name={`step:${path}`} aria-label={`Change ${path} to`}>
      {[
        ['', 'no change'],
        ['repeat', 'repeat'],
        ['keep', 'keep its results'],
        ['skip', 'skip'],
      ].map(([value, word]) => (
        <option key={value} value={value} selected={chosen === value}>
          {word}
        </option>
      ))}
    </select>
  )
}

function whyText({ fate, reason, is_write: isWrite, done }: StepComparison): string {
  if (reason !== undefined) return reason
  if (fate === 'depends') return `if they change: ${isWrite ? 'the run stops before it' : 'repeated'}`
  if (fate === 'removed') return isWrite ? 'its results stay' : ''
  return (fate === 'reused' || fate === 'kept') && done > 1 ? `${done} calls` : ''
}
