import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { ItemRow, RunView } from '../../../../view/run/index.ts'
import { statusWord } from '../../../../view/text/index.ts'
import { read } from '../../parts/follow.ts'
import { ExactMoment, StepDuration } from '../../parts/moment.tsx'
import { Status } from '../../parts/status.tsx'
import { WaitLine } from '../../parts/waits.tsx'
import { createLiveRun } from '../live-run.ts'
import { stepHref } from '../step/step-href.ts'
import { isSameError, StepRow } from '../steps/step-row.tsx'

/** One item with its steps, beside the table that it was selected in. */
export function ItemDetail({
  item,
  runId,
  close,
}: {
  readonly item: ItemRow
  readonly runId: string
  readonly close: () => void
}): VNode {
  const pane = useRef<HTMLElement>(null)
  // The cell that was selected can be a screen above.
  useEffect(() => pane.current?.scrollIntoView({ block: 'nearest' }), [item.path])
  const steps = useSteps(runId, item)
  useEscape(close)
  const live = steps === undefined ? undefined : createLiveRun(steps)
  // A failure is told once, where it happened.
  const isToldBelow = live?.rows.value.some(({ path }) =>
    isSameError(live.node(path).value.error, item.error),
  )
  return (
    <aside ref={pane} class="card detail" aria-label={`Item ${item.item ?? item.index}`}>
      <div class="head">
        <h3>{item.item ?? `item ${item.index}`}</h3>
        <Status status={item.has_tolerated ? 'tolerated' : item.status} word={statusWord(item.status)} />
        <button type="button" class="push" onClick={close}>
          Close
        </button>
      </div>
      <p class="dim">
        <a class="path" href={stepHref(runId, item.path)}>
          {item.path}
        </a>
        {item.started_at === undefined ? null : (
          <>
            , started <ExactMoment at={item.started_at} />
            {item.status === 'interrupted' ? null : ', '}
            <StepDuration of={item} />
          </>
        )}
      </p>
      {item.error === undefined || isToldBelow ? null : (
        <p class="notice bad">
          <span class="code">{item.error.code}</span> {item.error.message}
        </p>
      )}
      {item.wait === undefined ? null : <WaitLine wait={item.wait} />}
      {live === undefined || live.rows.value.length === 0 ? null : (
        <table class="rows steps dense">
          <caption class="unseen">Steps of the item</caption>
          <tbody>
            {live.rows.value.map(({ path, depth }) => (
              <StepRow key={path} node={live.node(path)} depth={depth} runId={runId} />
            ))}
          </tbody>
        </table>
      )}
    </aside>
  )
}

/** The steps of an item, once they are read. Those of the same item before stay until then. */
function useSteps(runId: string, item: ItemRow): RunView | undefined {
  const steps = useSignal<RunView | undefined>(undefined)
  useEffect(() => {
    let isOver = false
    if (!steps.peek()?.nodes.some(({ path }) => path.startsWith(`${item.path}/`))) steps.value = undefined
    const address = `/api/v1/runs/${encodeURIComponent(runId)}/items/${encodeURIComponent(item.path)}`
    read<RunView>(address)
      .then((found) => {
        if (!isOver) steps.value = found
      })
      .catch(() => {})
    return () => {
      isOver = true
    }
  }, [runId, item, steps])
  return steps.value
}

function useEscape(close: () => void): void {
  // An effect that runs after the next frame would miss a key that is pressed as soon as the item is seen.
  useLayoutEffect(() => {
    const leave = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close()
    }
    addEventListener('keydown', leave)
    return () => removeEventListener('keydown', leave)
  }, [close])
}
