import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { isExecuted } from '../../../core/record/index.ts'
import type { Runs } from '../../../documents/index.ts'
import type { StateOf } from '../page-state.ts'
import { follow, read } from '../parts/follow.ts'
import { FilterForm } from './filter-form.tsx'
import { queryOf, readFilters } from './run-filters.ts'
import { RunTable } from './run-table.tsx'

/** The runs that match the filters of the address, newest first, a page by key. */
export function RunsPage({ data, path, about }: StateOf<'runs'>): VNode {
  const list = useSignal(data.runs)
  const filters = readFilters(path)
  const query = queryOf(filters)
  useEffect(() => {
    const ask = async (): Promise<void> => {
      list.value = await read<Runs>(`/api/v1/runs${query}`)
    }
    return follow({ topics: [], take: {}, ask })
  }, [query, list])
  const { runs, next } = list.value
  const isLater = filters.after !== ''
  return (
    <>
      <div class="head">
        <h1>Runs</h1>
      </div>
      <FilterForm filters={filters} isTemporal={about?.engine === 'temporal'} />
      {runs.length === 0 ? (
        <p class="empty">
          {query === '' ? (
            <>
              No run yet. Start one with <code>opsbook run RUNBOOK</code>, or from its page among the{' '}
              <a href="/runbooks">runbooks</a>.
            </>
          ) : (
            <>
              No run matches. <a href="/runs">Show all runs</a>
            </>
          )}
        </p>
      ) : (
        <RunTable runs={runs} />
      )}
      {about?.engine === 'temporal' && runs.some(({ status }) => isExecuted(status)) ? (
        <p class="dim">Lists of Temporal do not say what an open run is at. The page of the run does.</p>
      ) : null}
      {next !== undefined || isLater ? (
        <nav class="pager" aria-label="Pages of the list">
          {isLater ? <a href={`/runs${queryOf({ ...filters, after: '' })}`}>Newest</a> : null}
          {next === undefined ? null : (
            <a href={`/runs${queryOf({ ...filters, after: next })}`} rel="next">
              Older
            </a>
          )}
        </nav>
      ) : null}
    </>
  )
}
