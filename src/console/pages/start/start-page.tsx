import type { VNode } from 'preact'
import type { Runbook } from '../../../documents/index.ts'
import { fieldsOf } from '../../form-fields.ts'
import { ExactForm } from '../acts/exact-form.tsx'
import { FieldInputs, type Given } from '../acts/field-inputs.tsx'
import { RefusalNotice } from '../acts/refusal.tsx'
import { useProof, useRefused } from '../acts/shown-state.ts'
import type { PlannedRun, StateOf } from '../page-state.ts'
import { PlanFacts } from './plan-facts.tsx'

/** Inputs, then the plan that they make, then the start of exactly that plan. */
export function StartPage({ data }: StateOf<'start'>): VNode {
  const { runbook, planned } = data
  const { name, title, description, problem } = runbook
  const refused = useRefused()
  const csrf = useProof('operator')
  const given = planned?.given ?? refused?.given ?? {}
  return (
    <>
      <div class="head">
        <h1>Start {title === undefined ? name : `"${title}"`}</h1>
        <a class="push" href={`/runbooks/${encodeURIComponent(name)}`}>
          {name}
        </a>
      </div>
      {description === undefined ? null : <p class="prose">{description}</p>}
      {refused === undefined ? null : <RefusalNotice refused={refused} />}
      {problem === undefined ? null : (
        <p class="notice bad">
          It cannot be loaded: <span class="findings">{problem.message.trim()}</span>
        </p>
      )}
      {csrf === undefined ? (
        <p class="notice held">To start runs, you need the role operator in a console of "opsbook serve".</p>
      ) : problem !== undefined ? null : planned === undefined ? (
        <Inputs runbook={runbook} given={given} csrf={csrf} />
      ) : (
        <>
          <PlanFacts plan={planned.plan} />
          <Begin runbook={runbook} planned={planned} csrf={csrf} />
          <details>
            <summary>Other inputs</summary>
            <Inputs runbook={runbook} given={given} csrf={csrf} />
          </details>
        </>
      )}
    </>
  )
}

interface Form {
  readonly runbook: Runbook
  readonly csrf: string
}

function Inputs({ runbook, given, csrf }: Form & { readonly given: Given }): VNode {
  const fields = fieldsOf(runbook.inputs)
  return (
    <form method="post" action={`/runbooks/${encodeURIComponent(runbook.name)}/plan`} class="act inputs">
      <input type="hidden" name="csrf" value={csrf} />
      {fields.length === 0 ? <p class="dim">It takes no inputs.</p> : null}
      <FieldInputs fields={fields} given={given} isWhole />
      <p>
        <button type="submit" class="main">
          Show the plan
        </button>
      </p>
    </form>
  )
}

/** Starts what is shown. What was typed into a secret field was not sent back, and is typed again. */
function Begin({ runbook, planned, csrf }: Form & { readonly planned: PlannedRun }): VNode {
  const { shown, once, given, plan } = planned
  const secrets = fieldsOf(runbook.inputs).filter(
    ({ isSecret, name }) => isSecret && plan.inputs.some((one) => one.name === name && one.state === 'given'),
  )
  if (plan.problems.length > 0)
    return <p class="notice bad">A run would be refused. Change the inputs or the runbook.</p>
  return (
    <ExactForm
      action={`/runbooks/${encodeURIComponent(runbook.name)}/start`}
      csrf={csrf}
      names={{ shown, once }}
      given={given}
      secrets={secrets}
      word="Start this plan"
    />
  )
}
