import type { VNode } from 'preact'
import { StatusSign } from '../parts/status.tsx'
import type { RunFilters } from './run-filters.ts'

const statuses = [
  'running',
  'waiting',
  'paused',
  'queued',
  'failed',
  'unknown',
  'interrupted',
  'cancelled',
  'succeeded',
] as const

const periods = ['1h', '24h', '7d', '30d'] as const

/** The filters of `opsbook runs`. A plain form: it works without scripts, and a filtered list has an address. */
export function FilterForm({
  filters,
  isTemporal,
}: {
  readonly filters: RunFilters
  /** The server does not have the inputs of runs in its lists. */
  readonly isTemporal: boolean
}): VNode {
  const { status, runbook, text, label, since, until } = filters
  return (
    <search>
      <form class="filters" method="get" action="/runs" aria-label="Filter runs">
        <fieldset>
          <legend class="unseen">Status</legend>
          {statuses.map((one) => (
            <label key={one} class="choice">
              <input type="checkbox" name="status" value={one} checked={status.includes(one)} />
              <span>
                <StatusSign status={one} />
                {one}
              </span>
            </label>
          ))}
        </fieldset>
        <div class="fields">
          <label>
            {isTemporal ? 'Id, label or error' : 'Id, label, input or error'}
            <input type="search" name="text" value={text} autocomplete="off" spellcheck={false} />
          </label>
          <label>
            Runbook
            <input name="runbook" value={runbook} autocomplete="off" spellcheck={false} />
          </label>
          <label>
            Label
            <input
              name="label"
              value={label.join(',')}
              placeholder="team=shop"
              autocomplete="off"
              spellcheck={false}
            />
          </label>
          <label>
            From
            <input
              name="since"
              value={since}
              list="periods"
              placeholder="24h, 2026-01-31"
              autocomplete="off"
            />
          </label>
          <label>
            Until
            <input name="until" value={until} placeholder="2026-02-01" autocomplete="off" />
          </label>
          <datalist id="periods">
            {periods.map((period) => (
              <option key={period} value={period} />
            ))}
          </datalist>
          <button type="submit">Filter</button>
          <a class="quiet" href="/runs">
            Clear
          </a>
        </div>
      </form>
    </search>
  )
}
