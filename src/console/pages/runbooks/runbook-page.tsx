import type { VNode } from 'preact'
import type { JsonSchema } from '../../../core/json.ts'
import type { RunSummary } from '../../../core/record/index.ts'
import { durationText } from '../../../view/text/index.ts'
import { useProof } from '../acts/shown-state.ts'
import type { StateOf } from '../page-state.ts'
import { LongText } from '../parts/long-text.tsx'
import { Table } from '../parts/table.tsx'
import { RunTable } from '../runs/run-table.tsx'
import { TriggerLines } from './trigger-lines.tsx'

/** One runbook: what it does, what it takes, what starts it, what it did last. */
export function RunbookPage({ data }: StateOf<'runbook'>): VNode {
  const { name, title, description, file, triggers, problem, inputs, secrets = [], text } = data.runbook
  const runs = data.runs?.runs ?? []
  const isOperator = useProof('operator') !== undefined
  return (
    <>
      <div class="head">
        <h1>{title ?? name}</h1>
        <span class="path dim">{file}</span>
        {problem === undefined && isOperator ? (
          <a class="push button main" href={`/runbooks/${encodeURIComponent(name)}/start`}>
            Start…
          </a>
        ) : null}
      </div>
      {description === undefined ? null : <p class="prose">{description}</p>}
      {problem === undefined ? null : (
        <div class="notice bad">
          <p>It cannot be loaded:</p>
          <p class="findings">{problem.message.trim()}</p>
          {problem.hints.map((hint) => (
            <p key={hint}>{hint}</p>
          ))}
        </div>
      )}
      {inputs === undefined ? null : <Inputs schema={inputs} />}
      {secrets.length === 0 ? null : (
        <p>
          Secrets by name:{' '}
          {secrets.map((secret) => (
            <code key={secret}>{secret} </code>
          ))}
        </p>
      )}
      <section class="part">
        <h2>Starts</h2>
        <TriggerLines
          runbook={name}
          triggers={triggers}
          schedules={data.schedules}
          isBroken={problem !== undefined}
        />
      </section>
      {problem === undefined ? <Graph name={name} /> : null}
      {text === undefined ? null : (
        <details class="part">
          <summary>Source</summary>
          <LongText>{text}</LongText>
        </details>
      )}
      <section class="part">
        <div class="head">
          <h2>Last runs</h2>
          <a class="push" href={`/runs?runbook=${encodeURIComponent(name)}`}>
            All runs<span class="unseen"> of {name}</span>
          </a>
        </div>
        <Results runs={runs} />
        {runs.length === 0 ? (
          <p class="empty">None yet.</p>
        ) : (
          <RunTable runs={runs} caption={`The last runs of ${name}`} />
        )}
      </section>
    </>
  )
}

/** What became of the last runs, and how long those took that succeeded. */
function Results({ runs }: { readonly runs: readonly RunSummary[] }): VNode | null {
  const ended = runs.filter(({ ended_at }) => ended_at !== undefined)
  if (ended.length === 0) return null
  const good = ended.filter(({ status }) => status === 'succeeded')
  const took = good
    .map(({ started_at, ended_at = started_at }) => Date.parse(ended_at) - Date.parse(started_at))
    .toSorted((one, other) => one - other)
  const usual = took[Math.floor(took.length / 2)]
  return (
    <p>
      {good.length} of the last {ended.length} succeeded
      {usual === undefined ? '' : `, half of them within ${durationText(usual)}`}.
    </p>
  )
}

function Graph({ name }: { readonly name: string }): VNode {
  const address = `/api/v1/runbooks/${encodeURIComponent(name)}/graph.svg`
  return (
    <section class="part">
      <h2>Graph</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide drawing is scrolled with the keyboard */}
      <div class="drawing" tabIndex={0}>
        <img src={address} alt={`The steps of ${name} as boxes`} />
      </div>
    </section>
  )
}

function Inputs({ schema }: { readonly schema: JsonSchema }): VNode {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly required?: readonly string[]
  }
  const names = Object.keys(properties)
  return (
    <section class="part">
      <h2>Inputs</h2>
      {names.length === 0 ? (
        <p class="dim">It takes none.</p>
      ) : (
        <Table kind="rows dense" columns={['Name', 'Type', 'About']}>
          {names.map((name) => (
            <Input key={name} name={name} schema={properties[name]} isRequired={required.includes(name)} />
          ))}
        </Table>
      )}
    </section>
  )
}

function Input({
  name,
  schema,
  isRequired,
}: {
  readonly name: string
  readonly schema: JsonSchema | undefined
  readonly isRequired: boolean
}): VNode {
  const facts = (typeof schema === 'object' ? schema : {}) as {
    readonly type?: string
    readonly enum?: readonly unknown[]
    readonly description?: string
    readonly default?: unknown
    readonly writeOnly?: boolean
  }
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td>
        {facts.enum === undefined ? typeText(facts.type) : facts.enum.map(String).join(' · ')}
        <span class="dim"> {isRequired ? 'required' : 'optional'}</span>
      </td>
      <td class="wide">
        {facts.description}
        {facts.default === undefined ? null : (
          <span class="why">
            else <code>{facts.writeOnly ? '(masked)' : JSON.stringify(facts.default)}</code>
          </span>
        )}
      </td>
    </tr>
  )
}

function typeText(type: string = 'any'): string {
  return type === 'array' ? 'list' : type
}
