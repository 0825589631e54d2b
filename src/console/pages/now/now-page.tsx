import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { isExecuted } from '../../../core/record/index.ts'
import type { Runs } from '../../../documents/index.ts'
import { pageSizes } from '../../page-sizes.ts'
import { useProof } from '../acts/shown-state.ts'
import { InboxList } from '../inbox/inbox-list.tsx'
import type { StateOf } from '../page-state.ts'
import { clock } from '../parts/clock.ts'
import { follow, read } from '../parts/follow.ts'
import { Moment } from '../parts/moment.tsx'
import { RunbookLink } from '../parts/runbook-link.tsx'
import { fetchInbox } from '../parts/waiting-count.ts'
import { RunTable } from '../runs/run-table.tsx'
import { RateWindows } from './rate-windows.tsx'

const bad: ReadonlySet<string> = new Set(['failed', 'unknown', 'interrupted'])
const dayMs = 86_400_000

type NowData = StateOf<'now'>['data']

/** What needs a person, what runs, what failed in the last day, and what starts next. */
export function NowPage({ data }: StateOf<'now'>): VNode {
  const list = useSignal(data.runs)
  const inbox = useSignal(data.inbox)
  useEffect(() => {
    const ask = async (): Promise<void> => {
      const [newRuns, newInbox] = await Promise.all([
        read<Runs>(`/api/v1/runs?limit=${pageSizes.runs}`),
        data.inbox === undefined ? undefined : fetchInbox(),
      ])
      list.value = newRuns
      inbox.value = newInbox
    }
    const again = (): void => void ask().catch(() => {})
    return follow({ topics: ['now', 'inbox'], take: { now: again, inbox: again }, ask })
  }, [list, inbox, data.inbox])
  const { runs } = list.value
  const atWork = runs.filter(({ status }) => isExecuted(status))
  const since = clock.peek() - dayMs
  const failed = runs.filter(
    ({ status, ended_at, started_at }) => bad.has(status) && Date.parse(ended_at ?? started_at) > since,
  )
  const mayStart = useProof('operator') !== undefined
  return (
    <>
      <h1 class="unseen">Now</h1>
      {inbox.value === undefined || inbox.value.waiting.length === 0 ? null : (
        <Part title="Needs a person" count={inbox.value.waiting.length} href="/inbox">
          <InboxList inbox={{ ...inbox.value, waiting: inbox.value.waiting.slice(0, 5) }} heading="h3" />
        </Part>
      )}
      <Part
        title="Running"
        count={atWork.length}
        href="/runs?status=running&status=waiting&status=paused&status=queued"
      >
        {atWork.length === 0 ? (
          <p class="empty calm">
            Nothing runs. {mayStart ? 'Start' : 'See'} one of the <a href="/runbooks">runbooks</a>, or see
            what <a href="/schedules">schedules</a> and <a href="/events">events</a> start.
          </p>
        ) : (
          <RunTable runs={atWork} caption="Open runs, newest first" />
        )}
      </Part>
      <Part
        title="Failed in the last day"
        count={failed.length}
        href="/runs?status=failed&status=unknown&status=interrupted&since=24h"
      >
        {failed.length === 0 ? (
          <p class="empty calm">Nothing failed.</p>
        ) : (
          <RunTable runs={failed} caption="Runs that failed in the last day, newest first" />
        )}
      </Part>
      <RateWindows first={data.limits} />
      <StartsNext schedules={data.schedules} own={data.own_runbooks} />
    </>
  )
}

/** The next times of the schedules, and how many are paused. */
function StartsNext({
  schedules: stored,
  own,
}: {
  readonly schedules: NowData['schedules']
  readonly own: NowData['own_runbooks']
}): VNode | null {
  const schedules = stored?.schedules ?? []
  const isHeld = stored?.paused !== undefined
  const held = schedules.filter(({ state }) => state === 'paused' || (isHeld && state === 'active')).length
  const next = schedules
    .filter(({ state }) => state === 'active' && !isHeld)
    .flatMap(({ runbook, next: times }) => times.slice(0, 2).map((at) => ({ runbook, at })))
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .slice(0, 5)
  if (next.length === 0 && held === 0) return null
  return (
    <Part title="Starts next" href="/schedules">
      {held === 0 ? null : (
        <p class="held">
          {next.length === 0 ? 'Nothing: ' : ''}
          {held === 1 ? '1 schedule is paused.' : `${held} schedules are paused.`}
        </p>
      )}
      <ul class="plain next">
        {next.map(({ runbook, at }) => (
          <li key={`${runbook} ${at}`}>
            <RunbookLink name={runbook} own={own} /> <Moment at={at} />
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Part({
  title,
  count,
  href,
  children,
}: {
  readonly title: string
  readonly count?: number
  readonly href: string
  readonly children: ComponentChildren
}): VNode {
  return (
    <section class="part">
      <div class="head">
        <h2>
          {title}
          {count ? <span class="dim"> {count}</span> : null}
        </h2>
        <a class="push" href={href}>
          All<span class="unseen"> of: {title}</span>
        </a>
      </div>
      {children}
    </section>
  )
}
