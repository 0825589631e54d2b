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

const periods = [
  ['', 'any time'],
  ['1h', 'the last hour'],
  ['24h', 'the last day'],
  ['7d', 'the last 7 days'],
  ['30d', 'the last 30 days'],
] as const

/** The filters of `opsbook runs`. A plain form: it works without scripts, and a filtered list has an address. */
export function FilterForm({ filters }: { readonly filters: RunFilters }): VNode {
  const { status, runbook, label, since } = filters
  const isOther = since !== '' && !periods.some(([value]) => value === since)
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
            Started in
            <select name="since">
              {periods.map(([value, word]) => (
                <option key={value} value={value} selected={value === since}>
                  {word}
                </option>
              ))}
              {isOther ? (
                <option value={since} selected>
                  {since}
                </option>
              ) : null}
            </select>
          </label>
          <button type="submit">Filter</button>
          <a class="quiet" href="/runs">
            Clear
          </a>
        </div>
      </form>
    </search>
  )
}
