import type { VNode } from 'preact'
import type { RunHead } from '../../../view/run/index.ts'
import { countText } from '../../../view/text/index.ts'
import { Folded } from '../acts/permitted-calls.tsx'
import { figure } from '../parts/numbers.ts'
import { stepHref } from './step/step-href.ts'

/** The failures that a run let pass, by what they say. */
export function RunWarnings({
  head: { warnings = [], more_warnings = 0 },
  runId,
}: {
  readonly head: RunHead
  readonly runId: string
}): VNode | null {
  if (warnings.length === 0) return null
  return (
    <section class="notice held warnings">
      <h2>Failures that the run let pass</h2>
      <Folded most={5}>
        {warnings.map(({ code, message, path = '', item, failed_items: ofItems }) => (
          <p key={`${path} ${code} ${ofItems?.name}`}>
            <a class="path" href={stepHref(runId, path)}>
              {path}
            </a>
            {item === undefined ? null : <span class="dim"> {item}</span>}:{' '}
            {ofItems === undefined ? null : `${countText(ofItems.count, 'failed item')}, `}
            {ofItems?.name === undefined ? null : <span class="strong">{ofItems.name} </span>}
            <span class="code">{code}</span> {message}
          </p>
        ))}
      </Folded>
      {more_warnings === 0 ? null : <p class="dim">and {figure(more_warnings)} more</p>}
    </section>
  )
}
