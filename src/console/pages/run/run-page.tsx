import { useComputed, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { RunView } from '../../../view/run/index.ts'
import type { StateOf } from '../page-state.ts'
import { connection } from '../parts/connection.tsx'
import { follow, read } from '../parts/follow.ts'
import { fetchInbox } from '../parts/waiting-count.ts'
import { DataTab } from './data/data-tab.tsx'
import { FailureList } from './failure-list.tsx'
import { GraphTab } from './graph-tab.tsx'
import { ItemsTab } from './items/items-tab.tsx'
import { JournalTab } from './journal/journal-tab.tsx'
import { createLiveRun, type LiveRun } from './live-run.ts'
import { RunActs } from './run-acts.tsx'
import { RunHeader } from './run-header.tsx'
import { StepTab } from './step/step-tab.tsx'
import { StepsTab } from './steps/steps-tab.tsx'
import { TimeTab } from './time/time-tab.tsx'

const tabs = ['steps', 'time', 'items', 'journal', 'data', 'graph'] as const
type Tab = (typeof tabs)[number]

const words: Readonly<Record<Tab, string>> = {
  steps: 'Steps',
  time: 'Time',
  items: 'Items',
  journal: 'Journal',
  data: 'Data',
  graph: 'Graph',
}

/** One run: its steps, where its time went, its items, its journal, its data and its graph. */
export function RunPage(state: StateOf<'run'>): VNode {
  const { data, path } = state
  const live = useMemo(() => createLiveRun(data.view), [data.view])
  const { searchParams: query } = new URL(path, 'http://console')
  const tab = data.step ? undefined : (tabs.find((name) => name === query.get('tab')) ?? 'steps')
  const asked = useSignal(0)
  const hasInbox = data.inbox !== undefined
  const ask = (): void => {
    asked.value++
    fetchInbox().catch(() => {})
  }
  useEffect(() => followRun(live, data.view, hasInbox ? ask : undefined), [live, data.view, asked, hasInbox])
  // A step becomes a loop once its items are counted; its other changes draw only its own row again.
  const loops = useComputed(() =>
    live.rows.value
      .flatMap(({ path: step }) => (live.node(step).value.loop === undefined ? [] : [step]))
      .join('\n'),
  )
    .value.split('\n')
    .filter((step) => step !== '')
  const shown = tabs.filter((name) => name !== 'items' || loops.length > 0 || tab === 'items')
  return (
    <>
      <RunHeader run={data.run} own={data.own_runbooks} live={live} hasInbox={hasInbox} />
      <RunActs run={data.run} inbox={data.inbox} live={live} asked={asked} />
      {tab === 'steps' ? (
        <FailureList
          title="Failures that the run let pass"
          failures={live.head.value.warnings}
          more={live.head.value.more_warnings}
          runId={data.view.run_id}
        />
      ) : null}
      <nav class="tabs" aria-label="Parts of the run">
        {shown.map((name) => (
          <a
            key={name}
            href={`/runs/${data.view.run_id}${name === 'steps' ? '' : `?tab=${name}`}`}
            aria-current={name === (tab ?? 'steps') ? 'page' : undefined}
          >
            {words[name]}
          </a>
        ))}
      </nav>
      {data.step === undefined ? null : (
        <StepTab
          runId={data.view.run_id}
          after={Number(query.get('after') ?? 0)}
          first={data.step}
          live={live}
        />
      )}
      {tab === 'steps' ? <StepsTab live={live} runId={data.view.run_id} /> : null}
      {tab === 'time' ? <TimeTab live={live} /> : null}
      {tab === 'items' ? (
        <ItemsTab live={live} runId={data.view.run_id} loops={loops} query={query} first={data.items} />
      ) : null}
      {tab === 'journal' ? <JournalTab runId={data.view.run_id} first={data.journal} live={live} /> : null}
      {tab === 'data' ? <DataTab run={data.run} files={data.files?.files} /> : null}
      {tab === 'graph' ? (
        <GraphTab
          runId={data.view.run_id}
          runbook={data.view.head.runbook}
          places={data.graph ?? []}
          loops={loops}
        />
      ) : null}
    </>
  )
}

/** A run in one of these states does not change any more. A failed one may be resumed. */
const ended: ReadonlySet<string> = new Set(['succeeded', 'cancelled'])

/** `ask`: called when another question is open, or one is not any more. Left out: the page has no questions. */
function followRun(
  live: LiveRun,
  { run_id, head }: RunView,
  ask: (() => void) | undefined,
): (() => void) | undefined {
  if (ended.has(head.status)) return undefined
  const end = follow({
    topics: [`run:${run_id}`, ...(ask === undefined ? [] : ['inbox'])],
    take: { view: take, ...(ask === undefined ? {} : { inbox: ask }) },
    ask: async () => {
      take(await read<RunView>(`/api/v1/runs/${encodeURIComponent(run_id)}/view`))
      ask?.()
    },
  })
  function take(view: RunView): void {
    live.take(view)
    if (!ended.has(view.head.status)) return
    end()
    connection.value = 'still'
  }
  return end
}
