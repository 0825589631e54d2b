import type { ComponentChildren, VNode } from 'preact'
import {
  type CallsOfStep,
  type CoveredCalls,
  type Covers,
  callsText,
  coversTexts,
  effectTexts,
  openText,
  type ShownCall,
} from '../../../core/approval/index.ts'
import type { JsonValue } from '../../../core/json.ts'
import { FactLine } from '../parts/fact.tsx'
import { Table } from '../parts/table.tsx'

const columns = ['Step', 'What it does', { unseen: 'Effect' }, 'Arguments'] as const

/** What a yes permits, step by step. Much is folded, and nothing is cut: a yes covers what its giver can see. */
export function PermittedCalls({ covers }: { readonly covers: Covers }): VNode {
  const { again, permits, others } = coversTexts(covers)
  return (
    <>
      <Lines lines={again} />
      {permits === undefined ? null : (
        <>
          <p>{permits}</p>
          <Table kind="rows stack calls" caption="Calls that a yes permits" columns={columns}>
            {covers.calls.map((calls) => (
              <OfStep key={calls.step} calls={calls} />
            ))}
          </Table>
        </>
      )}
      {others === undefined ? null : (
        <>
          <p>{others}</p>
          <Table kind="rows stack calls" caption="Calls that are not known yet" columns={columns}>
            {covers.open.map((calls) => (
              <tr key={calls.step}>
                <StepCells calls={calls} />
                <td>
                  {calls.needs.length === 0 ? null : '‹not known yet›'}
                  <span class="why">{openText(calls)}</span>
                </td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </>
  )
}

function Lines({ lines }: { readonly lines: readonly string[] }): VNode | null {
  return lines.length === 0 ? null : <p class="lines">{lines.join('\n')}</p>
}

function OfStep({ calls }: { readonly calls: CoveredCalls }): VNode {
  const { step, count, shown } = calls
  return (
    <tr>
      <StepCells calls={calls} count={count === 1 ? '' : callsText(count)} />
      <td>
        <Folded most={3}>
          {shown.map((call) => (
            <Call key={call.path} call={call} step={step} />
          ))}
        </Folded>
      </td>
    </tr>
  )
}

/** The cells of a row that say what its calls are. */
function StepCells({ calls, count = '' }: { readonly calls: CallsOfStep; readonly count?: string }): VNode {
  const [what, effect] = effectTexts(calls)
  return (
    <>
      <td class="path">{calls.step}</td>
      <td>
        {what} {count === '' ? null : <span class="dim">{count}</span>}
      </td>
      <td>
        <span class={`tag ${calls.safety === 'create' ? 'held' : ''}`}>{effect}</span>
      </td>
    </>
  )
}

/** The first of many; the others are there to be opened. */
export function Folded({ most, children }: { readonly most: number; readonly children: VNode[] }): VNode {
  const more = children.slice(most)
  return (
    <>
      {children.slice(0, most)}
      {more.length === 0 ? null : (
        <details>
          <summary>{more.length} more</summary>
          {more}
        </details>
      )}
    </>
  )
}

function Call({
  call: { path, input = {}, save_as },
  step,
}: {
  readonly call: ShownCall
  readonly step: string
}): VNode {
  return (
    <dl aria-label={`Arguments of ${path}`}>
      {path === step ? null : <FactLine word="item">{path}</FactLine>}
      {Object.entries(input).map(([name, value]) => (
        <FactLine key={name} word={name}>
          <Value value={value} />
        </FactLine>
      ))}
      {save_as === undefined ? null : <FactLine word="saved as">{save_as}</FactLine>}
    </dl>
  )
}

/** What is longer is folded, in characters. */
const mostCharacters = 300

function Value({ value }: { readonly value: JsonValue }): ComponentChildren {
  const line = typeof value === 'string' && value.trim() !== '' ? value : JSON.stringify(value)
  const text = line.length > 60 && typeof value !== 'string' ? JSON.stringify(value, null, 2) : line
  if (text.length <= mostCharacters) return text
  return (
    <details>
      <summary>
        {text.slice(0, 100)}… <span class="dim">{text.length} characters</span>
      </summary>
      {text}
    </details>
  )
}
