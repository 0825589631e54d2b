import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import type { StepNode } from '../../../view/run/index.ts'
import { durationText } from '../../../view/text/index.ts'
import { clock } from './clock.ts'

/** A time as people say it, with the exact one on hover. */
export function Moment({ at }: { readonly at: string }): VNode {
  const text = useComputed(() => relativeText(Date.parse(at), clock.value))
  return (
    <time dateTime={at} title={localTimeText(at)}>
      {text}
    </time>
  )
}

/** A time as people say it, and the exact one beside it. */
export function ExactMoment({ at }: { readonly at: string }): VNode {
  return (
    <>
      <Moment at={at} /> <span class="exact">{localTimeText(at)}</span>
    </>
  )
}

/** Whether a time lies ahead. A moment that is about to come says nothing. */
export function useIsLater(at: string | undefined): boolean {
  return useComputed(() => at !== undefined && Date.parse(at) - clock.value > 2000).value
}

/** How long it is until a time, with the exact one on hover: `1h 58m left`. */
export function TimeLeft({ until }: { readonly until: string }): VNode {
  const text = useComputed(() => `${coarseText(Math.round((Date.parse(until) - clock.value) / 1000))} left`)
  return (
    <time dateTime={until} title={localTimeText(until)}>
      {text}
    </time>
  )
}

/** How long something took, or has taken so far. */
export function Duration({ from, to }: { readonly from: string; readonly to?: string | undefined }): VNode {
  const text = useComputed(() => {
    const ms = (to === undefined ? clock.value : Date.parse(to)) - Date.parse(from)
    const text = durationText(ms)
    // So far: whole seconds, as the clock changes.
    return to === undefined ? text.replace(/\.\ds$/, 's') : text
  })
  return <span title={to === undefined ? `since ${localTimeText(from)}` : exactSpan(from, to)}>{text}</span>
}

/** How long a step or an item took, or has taken so far. When an interrupted one ended, nobody knows. */
export function StepDuration({
  of: { status, started_at, ended_at },
}: {
  readonly of: Pick<StepNode, 'status' | 'started_at' | 'ended_at'>
}): VNode | null {
  if (started_at === undefined || (status === 'interrupted' && ended_at === undefined)) return null
  return <Duration from={started_at} to={ended_at} />
}

/** `just now`, `12s ago`, `4m ago`, `in 3h`. */
function relativeText(at: number, now: number): string {
  const seconds = Math.round(Math.abs(now - at) / 1000)
  if (seconds < 2) return 'just now'
  const text = coarseText(seconds)
  return at <= now ? `${text} ago` : `in ${text}`
}

function coarseText(seconds: number): string {
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 86_400) {
    const minutes = Math.floor((seconds % 3600) / 60)
    return `${Math.floor(seconds / 3600)}h${seconds < 6 * 3600 && minutes > 0 ? ` ${minutes}m` : ''}`
  }
  return `${Math.floor(seconds / 86_400)}d`
}

/** `2026-11-23 05:03:05 UTC`. */
export function localTimeText(at: string): string {
  const iso = new Date(at).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}

function exactSpan(from: string, to: string): string {
  return `${localTimeText(from)} to ${localTimeText(to)}`
}
