import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ItemPage, ItemRow } from '../../../../view/run/index.ts'
import { read } from '../../parts/follow.ts'
import { figure } from '../../parts/numbers.ts'
import type { LiveRun } from '../live-run.ts'
import { CellField } from './cell-field.tsx'
import { ItemDetail } from './item-detail.tsx'
import { ItemTable } from './item-table.tsx'
import { LoopFactsPanel } from './loop-facts-panel.tsx'

const filters = [
  '',
  'failed',
  'unknown',
  'running',
  'waiting',
  'pending',
  'succeeded',
  'skipped',
  'cancelled',
] as const
const pageSize = 100

/** The items of a loop: facts, groups of failures, a field of cells, and a table that is read a page at a time. */
export function ItemsTab({
  live,
  runId,
  loops,
  query,
  first,
}: {
  readonly live: LiveRun
  readonly runId: string
  readonly loops: readonly string[]
  readonly query: URLSearchParams
  readonly first: ItemPage | undefined
}): VNode {
  const path = query.get('step') ?? loops[0] ?? ''
  const isKnown = loops.includes(path)
  const status = query.get('status') ?? ''
  const page = useSignal<ItemPage>(first ?? { items: [] })
  const selected = useSignal<ItemRow | undefined>(undefined)
  const isReading = useSignal(false)
  const loop = isKnown ? live.node(path).value.loop : undefined
  const more = loop === undefined ? '' : `${loop.done} ${loop.in_flight}`
  const address = (parameters: Readonly<Record<string, string>>): string => {
    const all = new URLSearchParams({ step: path, limit: String(pageSize), ...parameters })
    if (status !== '' && parameters['status'] === undefined) all.set('status', status)
    return `/api/v1/runs/${encodeURIComponent(runId)}/items?${all}`
  }
  const hrefOf = (parameters: Readonly<Record<string, string>>): string =>
    `/runs/${runId}?${new URLSearchParams({ tab: 'items', step: path, ...parameters })}`
  const select = async (index: number): Promise<void> => {
    const { items } = await read<ItemPage>(address({ after: String(index - 1), limit: '1', status: '' }))
    selected.value = items[0]
  }
  useEffect(() => {
    if (!isKnown || isReading.peek()) return
    // What is on the screen is read again once, not with each frame.
    isReading.value = true
    const size = Math.max(pageSize, page.peek().items.length)
    read<ItemPage>(address({ limit: String(Math.min(size, 1000)) }))
      .then((found) => (page.value = found))
      .catch(() => {})
      .finally(() => setTimeout(() => (isReading.value = false), 1000))
  }, [more])
  const asked = query.get('item')
  useEffect(() => {
    if (asked !== null) select(Number(asked)).catch(() => {})
  }, [])
  if (loop === undefined) return <p class="empty">This run has no loop here.</p>
  const readMore = async (after: number): Promise<void> => {
    const found = await read<ItemPage>(address({ after: String(after) }))
    page.value = { ...found, items: [...page.value.items, ...found.items] }
  }
  const { items, next } = page.value
  return (
    <section aria-label="Items" class="items">
      {loops.length < 2 ? (
        <h2>{path}</h2>
      ) : (
        <nav class="loops" aria-label="Loops">
          {loops.map((one) => (
            <a
              key={one}
              href={`/runs/${runId}?tab=items&step=${encodeURIComponent(one)}`}
              aria-current={one === path ? 'page' : undefined}
            >
              {one}
            </a>
          ))}
        </nav>
      )}
      <LoopFactsPanel loop={loop} itemHref={(index) => hrefOf({ item: String(index) })} />
      <CellField cells={loop.cells} total={loop.total} select={(index) => void select(index)} />
      <nav class="choices" aria-label="Filter items by status">
        {filters.map((one) => (
          <a
            key={one}
            href={hrefOf(one === '' ? {} : { status: one })}
            aria-current={one === status ? 'true' : undefined}
          >
            {one === '' ? 'all' : one}
          </a>
        ))}
      </nav>
      <div class={selected.value === undefined ? 'pane' : 'pane two'}>
        <div>
          {items.length === 0 ? (
            <p class="empty">No item {status === '' ? 'has begun' : `is ${status}`}.</p>
          ) : (
            <ItemTable
              items={items}
              select={(item) => (selected.value = item)}
              selected={selected.value?.index}
            />
          )}
          {next === undefined ? null : (
            <p class="pager">
              <span class="dim">{figure(items.length)} shown</span>
              <button type="button" onClick={() => void readMore(next)}>
                Show {pageSize} more
              </button>
            </p>
          )}
        </div>
        {selected.value === undefined ? null : (
          <ItemDetail item={selected.value} runId={runId} close={() => (selected.value = undefined)} />
        )}
      </div>
    </section>
  )
}
