import type { VNode } from 'preact'
import type { LoopFacts } from '../../../../view/run/index.ts'
import { Moment, useIsLater } from '../../parts/moment.tsx'
import { figure } from '../../parts/numbers.ts'
import { limitedByText } from '../../parts/waits.tsx'

/** How far a loop is: a bar, its figures, and when it ends. */
export function LoopLine({
  path,
  loop,
  runId,
}: {
  readonly path: string
  readonly loop: LoopFacts
  readonly runId: string
}): VNode {
  const { unit, total, done, failed, in_flight, interrupted, waiting, per_minute, expected_end } = loop
  const limit = limitedByText(loop)
  const isLater = useIsLater(expected_end)
  return (
    <span class="loop-line">
      <LoopBar loop={loop} />
      <a href={`/runs/${runId}?tab=items&step=${encodeURIComponent(path)}`}>
        {figure(done)} of {unit === 'turns' ? 'at most ' : ''}
        {figure(total)} {unit}
      </a>
      {failed > 0 ? <span class="bad">{figure(failed)} failed</span> : null}
      {in_flight > 0 ? <span>{figure(in_flight)} in flight</span> : null}
      {interrupted === undefined ? null : <span class="held">{figure(interrupted)} interrupted</span>}
      {waiting > 0 ? <span class="held">{figure(waiting)} waiting</span> : null}
      {per_minute === undefined ? null : <span>{figure(per_minute)} a minute</span>}
      {expected_end === undefined || !isLater ? null : (
        <span>
          ends <Moment at={expected_end} />
        </span>
      )}
      {limit === undefined ? null : <span class="held">limited by {limit}</span>}
    </span>
  )
}

/** Done, failed and in flight as parts of a bar. Its figures stand beside it. */
function LoopBar({ loop: { total, done, failed, in_flight } }: { readonly loop: LoopFacts }): VNode {
  const percent = (count: number): string => `${total === 0 ? 0 : Math.min(100, (100 * count) / total)}%`
  return (
    <svg class="bar" width="120" height="8" aria-hidden="true">
      <rect class="left" width="100%" height="100%" rx="2" />
      <rect class="flight" width={percent(done + in_flight)} height="100%" rx="2" />
      <rect class="done" width={percent(done)} height="100%" rx="2" />
      <rect class="failed" x={percent(done - failed)} width={percent(failed)} height="100%" rx="2" />
    </svg>
  )
}
