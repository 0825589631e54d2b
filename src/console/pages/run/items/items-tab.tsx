import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ItemPage, ItemRow } from '../../../../view/run/index.ts'
import { statusWord } from '../../../../view/text/index.ts'
import { pageSizes } from '../../../page-sizes.ts'
import { read } from '../../parts/follow.ts'
import { useThrottled } from '../../parts/use-throttled.ts'
import type { LiveRun } from '../live-run.ts'
import { CellField } from './cell-field.tsx'
import { ItemDetail } from './item-detail.tsx'
import { ItemTable } from './item-table.tsx'
import { LoopFactsPanel } from './loop-facts-panel.tsx'

const filters = [
  '',
  'failed',
  'tolerated',
  'unknown',
  'running',
  'waiting',
  'interrupted',
  'pending',
  'succeeded',
  'skipped',
  'cancelled',
] as const

/**
 * The items of a loop: facts, groups of failures, a field of cells, and a table, a page at a time: however many
 * items there are, the browser holds a hundred rows.
 */
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
  const text = query.get('text') ?? ''
  const after = query.get('after') ?? ''
  const page = useSignal<ItemPage>(first ?? { items: [] })
  const selected = useSignal<ItemRow | undefined>(undefined)
  const loop = isKnown ? live.node(path).value.loop : undefined
  const readItems = (parameters: Readonly<Record<string, string>>): Promise<ItemPage> =>
    read(`/api/v1/runs/${encodeURIComponent(runId)}/items?${queryOf({ step: path, ...parameters })}`)
  const hrefOf = (parameters: Readonly<Record<string, string>>): string =>
    `/runs/${runId}?${queryOf({ tab: 'items', step: path, ...parameters })}`
  const select = async (index: number): Promise<void> => {
    const { items } = await readItems({ after: String(index - 1), limit: '1' })
    selected.value = items[0]
  }
  const readAgain = async (): Promise<void> => {
    page.value = await readItems({ status, text, after, limit: String(pageSizes.items) })
    const shown = selected.peek()
    if (shown !== undefined && shown.ended_at === undefined) await select(shown.index)
  }
  useThrottled(readAgain, loop === undefined ? undefined : `${loop.done} ${loop.in_flight} ${loop.waiting}`)
  const asked = query.get('item')
  useEffect(() => {
    if (asked !== null) select(Number(asked)).catch(() => {})
  }, [])
  if (loop === undefined) return <p class="empty">This run has no loop here.</p>
  const { items, next } = page.value
  return (
    <section aria-label="Items" class="items">
      <Loops loops={loops} path={path} runId={runId} />
      <LoopFactsPanel loop={loop} itemHref={(index) => hrefOf({ item: String(index) })} />
      <CellField loop={loop} select={(index) => void select(index)} />
      <StatusFilter status={status} hrefOf={(one) => hrefOf({ status: one, text })} />
      <form class="filters" method="get" action={`/runs/${runId}`}>
        <input type="hidden" name="tab" value="items" />
        <input type="hidden" name="step" value={path} />
        {status === '' ? null : <input type="hidden" name="status" value={status} />}
        <label>
          Name <input type="search" name="text" value={text} autocomplete="off" />
        </label>
      </form>
      <div class={selected.value === undefined ? 'pane' : 'pane two'}>
        <div>
          {items.length === 0 ? (
            <p class="empty">
              No item {text === '' ? '' : `named “${text}” `}
              {status === '' ? 'has begun' : `is ${statusWord(status)}`}.
            </p>
          ) : (
            <ItemTable
              items={items}
              select={(item) => (selected.value = item)}
              selected={selected.value?.index}
            />
          )}
          <Pager
            first={after === '' ? undefined : hrefOf({ status, text })}
            next={next === undefined ? undefined : hrefOf({ status, text, after: String(next) })}
          />
        </div>
        {selected.value === undefined ? null : (
          <ItemDetail item={selected.value} runId={runId} close={() => (selected.value = undefined)} />
        )}
      </div>
    </section>
  )
}

/** The loops of the run, to choose one. */
function Loops({
  loops,
  path,
  runId,
}: {
  readonly loops: readonly string[]
  readonly path: string
  readonly runId: string
}): VNode {
  if (loops.length < 2) return <h2>{path}</h2>
  return (
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
  )
}

function StatusFilter({
  status,
  hrefOf,
}: {
  readonly status: string
  readonly hrefOf: (status: string) => string
}): VNode {
  return (
    <nav class="choices" aria-label="Filter items by status">
      {filters.map((one) => (
        <a key={one} href={hrefOf(one)} aria-current={one === status ? 'true' : undefined}>
          {one === '' ? 'all' : statusWord(one)}
        </a>
      ))}
    </nav>
  )
}

/** The ways to other pages; there may be none. */
function Pager({
  first,
  next,
}: {
  readonly first: string | undefined
  readonly next: string | undefined
}): VNode | null {
  if (first === undefined && next === undefined) return null
  return (
    <nav class="pager" aria-label="Pages of the items">
      {first === undefined ? null : <a href={first}>First</a>}
      {next === undefined ? null : (
        <a href={next} rel="next">
          Next {pageSizes.items}
        </a>
      )}
    </nav>
  )
}

/** Parameters of an address, without those that are empty. */
function queryOf(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString()
}
