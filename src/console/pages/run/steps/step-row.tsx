import { computed, type ReadonlySignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ShownError, StepNode } from '../../../../view/run/index.ts'
import { failedItemsText, statusWord } from '../../../../view/text/index.ts'
import { Moment, StepDuration } from '../../parts/moment.tsx'
import { StatusSign, toneOf } from '../../parts/status.tsx'
import { WaitLine } from '../../parts/waits.tsx'
import { stepHref } from '../step/step-href.ts'
import { LoopLine } from './loop-line.tsx'

const none: readonly ReadonlySignal<StepNode>[] = []

/** A step as a row. Only a change of its node draws it again. */
export function StepRow({
  node,
  inside = none,
  depth,
  runId,
}: {
  readonly node: ReadonlySignal<StepNode>
  /** The rows one level below it. */
  readonly inside?: readonly ReadonlySignal<StepNode>[]
  readonly depth: number
  readonly runId: string
}): VNode {
  const step = node.value
  const { id, name, item, action, status, attempts, started_at, waits = [], more_waits } = step
  const sign = signOf(step)
  // A failure is told once, where it happened.
  const isToldBelow = useMemo(
    () => computed(() => inside.some((inner) => isSameError(inner.value.error, node.value.error))),
    [inside, node],
  ).value
  return (
    <tr class={`is-${status}`}>
      <th scope="row" class={`step depth-${Math.min(depth, 7)}`}>
        <span class="step-line">
          <span class={toneOf(sign)}>
            <StatusSign status={sign} />
          </span>
          <span class="step-text">
            <a class="step-name" href={stepHref(runId, step.path)}>
              {item ?? id}
            </a>
            {item === undefined ? null : <span class="dim"> {id}</span>}
            {name === undefined ? null : <span class="dim"> {name}</span>}
            {action === undefined || item !== undefined ? null : <span class="uses"> {action}</span>}
            {step.loop === undefined ? null : <LoopLine path={step.path} loop={step.loop} runId={runId} />}
            {step.groups === undefined || step.groups.total < 2 ? null : (
              <span class="why">
                {step.groups.done} of {step.groups.total} groups
                {step.groups.failed > 0 ? `, ${step.groups.failed} failed` : ''}
              </span>
            )}
            {step.failed_items === undefined ? null : (
              <span class="why held">{failedItemsText(step.failed_items)}</span>
            )}
            {waits.map((wait) => (
              <WaitLine key={wait.path} wait={wait} />
            ))}
            {more_waits === undefined ? null : <span class="why">and {more_waits} more calls that wait</span>}
            {step.error === undefined || isToldBelow ? null : (
              <ErrorLine error={status === 'unknown' ? { code: step.error.code, message: '' } : step.error} />
            )}
            {step.caught === undefined ? null : <ErrorLine error={step.caught} word="caught" />}
            {step.condition === undefined ? null : (
              <span class="why">
                because <code>{step.condition}</code> is false
              </span>
            )}
            {step.branch === undefined ? null : <span class="why">branch {step.branch + 1} ran</span>}
          </span>
        </span>
      </th>
      <td class={`word ${toneOf(sign)}`}>{wordOf(step)}</td>
      <td class="figure">{attempts === undefined || attempts === 0 ? '' : attempts}</td>
      <td class="figure dim">{started_at === undefined ? '' : <Moment at={started_at} />}</td>
      <td class="figure">
        <StepDuration of={step} />
      </td>
    </tr>
  )
}

/** Whether two errors read the same. */
export function isSameError(one: ShownError | undefined, other: ShownError | undefined): boolean {
  return one !== undefined && one.code === other?.code && one.message === other.message
}

function ErrorLine({ error, word }: { readonly error: ShownError; readonly word?: string }): VNode {
  return (
    <span class="why">
      {word === undefined ? '' : `${word} `}
      <span class="code">{error.code}</span> {error.message}
    </span>
  )
}

function signOf(step: StepNode): string {
  if (step.is_warning || isTolerant(step)) return 'tolerated'
  return step.caught === undefined ? step.status : 'caught'
}

function wordOf(step: StepNode): string {
  if (step.is_warning) return `${step.status}, tolerated`
  return isTolerant(step) ? 'succeeded, failures tolerated' : statusWord(step.status)
}

/** Whether it succeeded although something inside of it failed. */
function isTolerant({ status, has_tolerated }: StepNode): boolean {
  return status === 'succeeded' && has_tolerated === true
}
