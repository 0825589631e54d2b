import type { VNode } from 'preact'
import type { ShownWarning } from '../../../view/run/index.ts'
import { countText } from '../../../view/text/index.ts'
import { Folded } from '../acts/permitted-calls.tsx'
import { figure } from '../parts/numbers.ts'
import { stepHref } from './step/step-href.ts'

/** Failures that a run or a step let pass, by what they say. */
export function FailureList({
  title,
  failures = [],
  more = 0,
  runId,
}: {
  readonly title: string
  readonly failures: readonly ShownWarning[] | undefined
  /** How many there are besides. */
  readonly more?: number | undefined
  readonly runId: string
}): VNode | null {
  if (failures.length === 0) return null
  return (
    <section class="notice held warnings">
      <h2>{title}</h2>
      <Folded most={5}>
        {failures.map(({ code, message, path = '', item, failed_items: ofItems }) => (
          <p key={`${path} ${code} ${ofItems?.name} ${message}`}>
            <a class="path" href={stepHref(runId, path)}>
              {path}
            </a>
            {item === undefined ? null : <span class="dim"> {item}</span>}:{' '}
            {ofItems?.name === undefined ? null : <span class="strong">{ofItems.name} </span>}
            <span class="code">{code}</span> {message}
            {ofItems === undefined || ofItems.count < 2 ? null : (
              <span class="dim"> and {countText(ofItems.count - 1, 'more item')} failed alike</span>
            )}
          </p>
        ))}
      </Folded>
      {more === 0 ? null : <p class="dim">and {figure(more)} more</p>}
    </section>
  )
}
