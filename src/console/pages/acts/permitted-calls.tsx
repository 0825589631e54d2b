import type { ComponentChildren, VNode } from 'preact'
import {
  type CoveredCalls,
  type Covers,
  callsText,
  coversTexts,
  effectTexts,
  type ShownCall,
} from '../../../core/approval/index.ts'
import type { JsonValue } from '../../../core/json.ts'
import { FactLine } from '../parts/fact.tsx'
import { Table } from '../parts/table.tsx'

/** What a yes permits, step by step. Much is folded, and nothing is cut: a yes covers what its giver can see. */
export function PermittedCalls({ covers }: { readonly covers: Covers }): VNode {
  const { again, permits, others } = coversTexts(covers)
  return (
    <>
      <Lines lines={again} />
      {permits === undefined ? null : (
        <>
          <p>{permits}</p>
          <Table
            kind="rows stack calls"
            caption="Calls that a yes permits"
            columns={['Step', 'What it does', { unseen: 'Effect' }, 'Arguments']}
          >
            {covers.calls.map((calls) => (
              <OfStep key={calls.step} calls={calls} />
            ))}
          </Table>
        </>
      )}
      <Lines lines={others} />
    </>
  )
}

function Lines({ lines }: { readonly lines: readonly string[] }): VNode | null {
  return lines.length === 0 ? null : <p class="lines">{lines.join('\n')}</p>
}

function OfStep({ calls }: { readonly calls: CoveredCalls }): VNode {
  const { step, safety, count, shown } = calls
  const [what, effect] = effectTexts(calls)
  return (
    <tr>
      <td class="path">{step}</td>
      <td>
        {what} {count === 1 ? null : <span class="dim">{callsText(count)}</span>}
      </td>
      <td>
        <span class={`tag ${safety === 'create' ? 'held' : ''}`}>{effect}</span>
      </td>
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
