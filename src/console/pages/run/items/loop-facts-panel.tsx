import type { VNode } from 'preact'
import type { LoopFacts } from '../../../../view/run/index.ts'
import { durationText } from '../../../../view/text/index.ts'
import { Duration, Moment, useIsLater } from '../../parts/moment.tsx'
import { figure } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import { limitedByText, WaitLine } from '../../parts/waits.tsx'

/** Is it advancing, how long has it left, and are the failures one problem or twenty? */
export function LoopFactsPanel({
  loop,
  itemHref,
}: {
  readonly loop: LoopFacts
  readonly itemHref: (index: number) => string
}): VNode {
  const { oldest, failures, other_failures, durations } = loop
  return (
    <>
      <Figures loop={loop} />
      <div class="panels">
        <Failures
          word="Failures by what they say"
          groups={failures}
          others={other_failures}
          itemHref={itemHref}
        />
        <Failures word="Tolerated inside of items" groups={loop.tolerated ?? []} itemHref={itemHref} />
        {durations === undefined ? null : <Durations durations={durations} />}
        {oldest.length === 0 ? null : (
          <section>
            <h3>In flight, the longest first</h3>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled with the keyboard */}
            <ul class="plain oldest" tabIndex={0}>
              {oldest.map(({ index, item, since, at, wait }) => (
                <li key={index}>
                  <a href={itemHref(index)}>{item ?? index}</a> <span class="dim">{at}</span> for{' '}
                  <Duration from={since} /> {wait === undefined ? null : <WaitLine wait={wait} />}
                </li>
              ))}
            </ul>
            {loop.in_flight > oldest.length ? (
              <p class="dim">
                and {figure(loop.in_flight - oldest.length)} more; filter the table by “running”
              </p>
            ) : null}
          </section>
        )}
      </div>
    </>
  )
}

function Failures({
  word,
  groups,
  others,
  itemHref,
}: {
  readonly word: string
  readonly groups: LoopFacts['failures']
  readonly others?: number | undefined
  readonly itemHref: (index: number) => string
}): VNode | null {
  if (groups.length === 0) return null
  return (
    <section>
      <h3>{word}</h3>
      <Table kind="rows dense" columns={[{ figure: 'Items' }, 'Failure', { figure: 'First' }]}>
        {groups.map(({ code, message, count, first }) => (
          <tr key={`${code} ${message}`}>
            <td class="figure">{figure(count)}</td>
            <td class="wide">
              <span class="code">{code}</span> {message}
            </td>
            <td class="figure">
              <a href={itemHref(first)}>{first}</a>
            </td>
          </tr>
        ))}
      </Table>
      {others === undefined ? null : <p class="dim">and {figure(others)} others</p>}
    </section>
  )
}

function Figures({ loop }: { readonly loop: LoopFacts }): VNode {
  const { unit, total, done, failed, in_flight, interrupted, waiting, left, per_minute, expected_end } = loop
  const limit = limitedByText(loop)
  const isLater = useIsLater(expected_end)
  return (
    <dl class="figures">
      <Figure word={unit === 'turns' ? 'turns at most' : 'items'} value={figure(total)} />
      <Figure word="done" value={figure(done)} />
      <Figure word="failed" value={figure(failed)} tone={failed > 0 ? 'bad' : ''} />
      <Figure word="in flight" value={figure(in_flight)} />
      {interrupted === undefined ? null : (
        <Figure word="interrupted" value={figure(interrupted)} tone="held" />
      )}
      <Figure word="of them waiting" value={figure(waiting)} tone={waiting > 0 ? 'held' : ''} />
      <Figure word="left" value={figure(left)} />
      {per_minute === undefined ? null : <Figure word="a minute" value={figure(per_minute)} />}
      {expected_end === undefined || !isLater ? null : (
        <div>
          <dt>expected end</dt>
          <dd>
            <Moment at={expected_end} />
          </dd>
        </div>
      )}
      {limit === undefined ? null : (
        <div class="limit">
          <dt>limited by</dt>
          <dd class="held">{limit}</dd>
        </div>
      )}
    </dl>
  )
}

function Figure({
  word,
  value,
  tone = '',
}: {
  readonly word: string
  readonly value: string
  readonly tone?: string
}): VNode {
  return (
    <div>
      <dt>{word}</dt>
      <dd class={tone}>{value}</dd>
    </div>
  )
}

function Durations({ durations }: { readonly durations: NonNullable<LoopFacts['durations']> }): VNode {
  const { bounds_ms, counts } = durations
  const most = Math.max(1, ...counts)
  const last = counts.findLastIndex((count) => count > 0) + 1
  const word = (place: number): string =>
    place < bounds_ms.length
      ? `up to ${durationText(bounds_ms[place] ?? 0)}`
      : `over ${durationText(bounds_ms.at(-1) ?? 0)}`
  return (
    <section>
      <h3>How long items took</h3>
      <table class="dense histogram">
        <tbody>
          {counts.slice(0, last).map((count, place) => (
            <tr key={word(place)}>
              <th scope="row" class="figure">
                {word(place)}
              </th>
              <td>
                <svg width="100%" height="10" aria-hidden="true">
                  <rect class="span working" width={`${(100 * count) / most}%`} height="10" rx="1" />
                </svg>
              </td>
              <td class="figure">{count === 0 ? '' : figure(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
