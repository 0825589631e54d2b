import type { TimedRunEvent } from '../../../core/events.ts'
import type { Mask } from '../../../core/mask/mask.ts'
import { clockText } from '../../terminal/duration-text.ts'
import { printableLine } from '../../terminal/printable.ts'
import { eventText } from './event-text.ts'
import type { Follower } from './follower.ts'
import { placesOf } from './places.ts'
import type { RunState } from './run-state.ts'
import type { StepView } from './step-view.ts'

/** Shorter waits are no news. */
const shortestWaitMs = 2000
/** A loop or batch tells how far it is at most this often. */
const everyMs = 10_000
/** Of a loop with more items only what goes wrong is told, and that it waits no more often than its progress. */
const smallLoop = 20

/** One line for each event that matters, with its time: for pipes, files and the logs of other tools. */
export function createPlainLines(state: RunState, write: (text: string) => void, mask: Mask): Follower {
  const toldAt = new Map<string, number>()
  const splits = new Map<string, string>()
  const line = (at: number, text: string): void =>
    write(`${clockText(at)} ${mask.text(printableLine(text))}\n`)

  /** Whether it is time to tell this of a step again; if so, it counts as told. */
  const isDue = (key: string, step: StepView, at: number): boolean => {
    const since = at - (toldAt.get(key) ?? step.startedAt ?? at)
    if (since < everyMs) return false
    toldAt.set(key, at)
    return true
  }
  const largeLoop = (path: string): StepView | undefined => {
    const loops = placesOf(path).map((place) => state.stepOf(place))
    return loops.find((step) => step?.progress?.unit === 'items' && step.progress.total > smallLoop)
  }
  const progress = (path: string, at: number): string | undefined => {
    const step = progressing(path, state)
    if (!step?.progress || !isDue(step.path, step, at)) return undefined
    const { done, total, unit, failed } = step.progress
    return `${state.items.label(step.path)}: ${done} of ${total} ${unit}${failed === 0 ? '' : `, ${failed} failed`}`
  }
  /** A batch that is repeated until something holds tells once how it is split, as long as that is the same. */
  const isKnownSplit = ({ path, groups, items }: TimedRunEvent & { type: 'groups_counted' }): boolean => {
    const place = state.stepOf(path)?.path ?? path
    const split = `${groups} ${items}`
    const isKnown = splits.get(place) === split
    splits.set(place, split)
    return isKnown
  }
  const isNews = (event: TimedRunEvent, at: number): boolean => {
    if (!('path' in event)) return true
    const loop = isInItem(event.path) ? largeLoop(event.path) : undefined
    switch (event.type) {
      case 'logged':
        return event.level !== 'debug'
      case 'waiting': {
        const isLong = event.until === undefined || event.until - at >= shortestWaitMs
        if (event.reason === 'timeout' || (!isLong && event.reason !== 'target')) return false
        return !loop || event.reason === 'approval' || isDue(`${loop.path} ${event.reason}`, loop, at)
      }
      case 'attempt_failed':
      case 'answered':
        return true
      case 'groups_counted':
        return !loop && !isKnownSplit(event)
      case 'step_finished':
        return !loop || event.error !== undefined || event.caught !== undefined
      default:
        return !loop
    }
  }
  return {
    take(event) {
      const at = Date.parse(event.at)
      const isProgress = event.type === 'item_finished' || event.type === 'attempt_succeeded'
      if (isProgress) {
        const text = progress(event.path, at)
        if (text !== undefined) line(at, text)
      } else if (isNews(event, at)) {
        const text = eventText(event, state)
        if (text !== undefined) line(at, text)
      }
    },
    say: (text) => line(Date.now(), text),
    pause() {},
    goOn() {},
    end() {},
  }
}

/** The outermost step around a call that counts how far it is. */
function progressing(path: string, state: RunState): StepView | undefined {
  return placesOf(path)
    .map((place) => state.stepOf(place))
    .find((step) => step?.progress !== undefined)
}

function isInItem(path: string): boolean {
  return path.includes('[')
}
