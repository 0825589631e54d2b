import type { VNode } from 'preact'
import type { JsonValue } from '../../../core/json.ts'
import type { Calls, StepPreview, ValuePreview } from '../../../core/preview/index.ts'
import type { PlanDocument } from '../../../documents/index.ts'
import { countText, durationText } from '../../../view/text/index.ts'
import { answerPolicyText } from '../acts/policy-text.ts'
import { FactLine } from '../parts/fact.tsx'
import { Table } from '../parts/table.tsx'

/** What a run would do: how many calls of which risk, how long, who is asked, which secrets are read. */
export function PlanFacts({ plan }: { readonly plan: PlanDocument }): VNode {
  const { totals, problems, inputs, concurrency, outside } = plan
  const { calls_by_risk: risks } = totals
  return (
    <section class="part" aria-label="The plan">
      <h2>Plan</h2>
      {problems.map(({ path, message }) => (
        <p key={path} class="notice bad">
          <span class="path">{path}</span> {message}
        </p>
      ))}
      {outside !== undefined && outside.steps.length > 0 ? (
        <p class="notice held">
          These steps would leave the sandbox: {outside.steps.map(({ path }) => path).join(', ')}
        </p>
      ) : null}
      <dl class="planned">
        <FactLine word="Calls">
          {callsText(totals.calls)}: {riskText(risks.read, 'read', 'reads')},{' '}
          {riskText(risks.idempotent, 'write that can be repeated', 'writes that can be repeated')},{' '}
          {riskText(risks.create, 'that creates', 'that create')}
        </FactLine>
        {totals.shortest_if_every_condition_holds_ms < 100 ? null : (
          <FactLine word="Shortest time">
            {totals.shortest_ms < 100 ? 'no waiting' : durationText(totals.shortest_ms)}
            {totals.shortest_if_every_condition_holds_ms === totals.shortest_ms
              ? ''
              : `; ${durationText(totals.shortest_if_every_condition_holds_ms)} if every condition holds`}
          </FactLine>
        )}
        <FactLine word="Approvals">
          <Approvals approvals={totals.approvals} />
        </FactLine>
        <FactLine word="Secrets">
          {totals.secrets.length === 0 ? 'none' : ''}
          {totals.secrets.map(({ name, steps }) => (
            <span key={name} class="why">
              <code>{name}</code>, read by {steps.join(', ')}
            </span>
          ))}
        </FactLine>
        {concurrency === undefined ? null : (
          <FactLine word="At a time">
            {concurrency.limit} for {plannedText(concurrency.key)}; another start: {concurrency.on_conflict}
          </FactLine>
        )}
        <FactLine word="Inputs">
          {inputs.length === 0 ? 'none' : ''}
          {inputs.map(({ name, state, value }) => (
            <span key={name} class="why">
              <code>{name}</code>{' '}
              {value === undefined
                ? state.replace('_', ' ')
                : `${plannedValueText(value)}${state === 'default' ? ' (default)' : ''}`}
            </span>
          ))}
        </FactLine>
      </dl>
      <Steps plan={plan} />
    </section>
  )
}

function Approvals({ approvals }: Pick<PlanDocument['totals'], 'approvals'>): VNode {
  return (
    <>
      {approvals.length === 0 ? 'none' : countText(approvals.length, 'question')}
      {approvals.map(({ path, message, certain, from, unanswerable }) => (
        <span key={path} class="why">
          <span class="path">{path}</span> {message === undefined ? '' : plannedText(message)}
          {certain ? '' : ' (perhaps)'}
          <span class="why">
            {from === undefined ? 'Every approver may answer.' : answerPolicyText(from)}
          </span>
          {unanswerable === undefined ? null : <span class="why held">{unanswerable}</span>}
        </span>
      ))}
    </>
  )
}

function Steps({ plan }: { readonly plan: PlanDocument }): VNode {
  return (
    <Table
      kind="rows dense stack"
      caption="The calls of each step"
      columns={['Step', 'Action', 'Risk', { figure: 'Calls' }]}
    >
      {rowsOf(plan).map((row) => (
        <StepRow key={row.step.path} {...row} />
      ))}
    </Table>
  )
}

function StepRow({ step, isInLoop }: Row): VNode {
  const { path, runs, condition, uses, calls, for_each: loop } = step
  return (
    <tr>
      <td>
        <span class="path">{path}</span>
        {runs === 'yes' ? null : (
          <span class="why">
            {runs === 'no' ? 'does not run' : 'runs if'}{' '}
            {condition === undefined ? '' : <code>{condition.source}</code>}
          </span>
        )}
      </td>
      <td class="wide">
        {loop === undefined ? null : (
          <span class="why">
            for each {loop.count === null ? loop.as : `${loop.as} of ${countText(loop.count, 'item')}`}
          </span>
        )}
        {uses?.action}
        {uses?.connection === undefined ? '' : ` over ${uses.connection}`}
        {uses?.arguments.map((argument) => (
          <span key={argument.name} class="why">
            {argument.name === '' ? '' : `${argument.name}: `}
            {plannedText(argument)}
          </span>
        ))}
      </td>
      <td>{uses?.risk}</td>
      <td class="figure">
        {riskText(calls, 'call', 'calls')}
        {isInLoop ? ' for each item' : ''}
      </td>
    </tr>
  )
}

type Steps = Pick<StepPreview, 'steps'> & Partial<Pick<StepPreview, 'catch' | 'finally'>>

interface Row {
  readonly step: StepPreview
  /** Its calls are those of one item. */
  readonly isInLoop: boolean
}

/** The steps that call something and the loops, in the order of the runbook. */
function rowsOf(
  { steps, catch: caught = [], finally: last = [] }: Steps,
  isInLoop: boolean = false,
): readonly Row[] {
  return [...steps, ...caught.flatMap((one) => one.steps), ...last].flatMap((step) => {
    const isInside = isInLoop || step.for_each !== undefined
    const inner = [step.uses?.child ?? [], step.branches ?? [], step].flat()
    return [
      ...(step.uses === undefined && step.for_each === undefined ? [] : [{ step, isInLoop }]),
      ...inner.flatMap((one) => rowsOf(one, isInside)),
    ]
  })
}

function riskText(calls: Calls, one: string, many: string): string {
  return `${callsText(calls)} ${calls.least === 1 && calls.most === 1 ? one : many}`
}

function callsText({ least, most }: Calls): string {
  if (most === null) return `${least} or more`
  return least === most ? String(least) : `${least} to ${most}`
}

function plannedText(value: ValuePreview): string {
  if (value.state === 'secret') return `the secret ${value.secret}`
  return value.state === 'known' ? plannedValueText(value.value) : value.source
}

/** As `opsbook plan` prints it: of a list, one sees that it is one. */
function plannedValueText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
