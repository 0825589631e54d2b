import { useComputed, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { LimitedSubject, RateUse } from '../../../core/pacing/index.ts'
import type { Limits } from '../../../documents/index.ts'
import { clock } from '../parts/clock.ts'
import { read } from '../parts/follow.ts'
import { Moment } from '../parts/moment.tsx'
import { figure } from '../parts/numbers.ts'
import { Table } from '../parts/table.tsx'

/** Calls leave windows without an event that says so. */
const againMs = 5000

/** How much room the rate windows have, as far as it can be read. */
export function RateWindows({ first }: { readonly first: Limits | undefined }): VNode | null {
  const document = useSignal(first)
  useEffect(() => {
    const timer = setInterval(async () => {
      if (globalThis.document.hidden) return
      document.value = await read<Limits>('/api/v1/limits').catch(() => document.peek())
    }, againMs)
    return () => clearInterval(timer)
  }, [document])
  if (document.value === undefined) return null
  const { limits, unread = [] } = document.value
  return (
    <section class="part">
      <div class="head">
        <h2>Rate limits</h2>
      </div>
      {limits === undefined ? (
        <p class="empty calm">
          How many calls count cannot be read now. Each run says when it waits for the rate limit.
        </p>
      ) : limits.length + unread.length === 0 ? (
        <p class="empty calm">No call counts against a limit now.</p>
      ) : (
        <Table
          caption="What has calls that count now, the fullest first"
          columns={['Limit of', 'Calls that count', { figure: 'Next call' }]}
        >
          {limits.map((use) => (
            <UseRow key={use.action ?? `connection ${use.connection}`} use={use} />
          ))}
          {unread.map((subject) => (
            <tr key={`unread ${subject.action ?? `connection ${subject.connection}`}`}>
              <td>
                <Subject of={subject} />
              </td>
              <td colSpan={2} class="wide dim">
                not known now: what counts them has not answered
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}

function UseRow({ use }: { readonly use: RateUse }): VNode {
  const { windows, free_at, is_throttled } = use
  return (
    <tr>
      <td>
        <Subject of={use} />
      </td>
      <td>
        <ul class="windows">
          {windows.map(({ per, used, limit }) => (
            <li key={per}>
              <Meter used={used} limit={limit} /> {figure(used)} of {figure(limit)} a {per}
            </li>
          ))}
        </ul>
        {is_throttled ? <span class="why held">Calls were refused as too frequent.</span> : null}
      </td>
      <td class="figure" data-word="next call">
        {free_at === undefined ? 'now' : <Room at={free_at} />}
      </td>
    </tr>
  )
}

function Subject({ of: { action, connection } }: { readonly of: LimitedSubject }): VNode {
  if (action !== undefined) return <>{action}</>
  return (
    <>
      <span class="dim">connection</span> {connection}
    </>
  )
}

/** How full a window is. Its figures stand beside it. */
function Meter({ used, limit }: { readonly used: number; readonly limit: number }): VNode {
  const percent = Math.min(100, (100 * used) / limit)
  return (
    <svg class="bar" width="72" height="8" aria-hidden="true">
      <rect class="left" width="100%" height="100%" rx="2" />
      <rect class={percent < 100 ? 'flight' : 'held'} width={`${percent}%`} height="100%" rx="2" />
    </svg>
  )
}

/** When the next call can leave. */
function Room({ at }: { readonly at: string }): VNode {
  const isSoon = useComputed(() => Date.parse(at) - clock.value < 1500).value
  return isSoon ? <>in a second</> : <Moment at={at} />
}
