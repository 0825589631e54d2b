import { isForPerson, type TimedRunEvent } from '../../../core/events.ts'
import type { Mask } from '../../../core/mask/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import type { RunTree } from '../../../view/run/index.ts'
import { enclosingPaths, isLoopView, type StepView } from '../../../view/run/index.ts'
import { clockText } from '../../shared/terminal/quantity-text.ts'
import { eventText } from './event-text.ts'
import type { Follower } from './follower.ts'

/** Shorter waits are not printed. */
const shortestWaitMs = 2000
/** A loop or batch prints its progress at most this often. */
const everyMs = 10_000
/** For loops with more items, only failures are printed, and waits at most as often as progress. */
const smallLoop = 20

/** One line for each event that matters, with its time: for pipes, files and the logs of other tools. */
export function createPlainLines(state: RunTree, write: (text: string) => void, mask: Mask): Follower {
  const printedAt = new Map<string, number>()
  const splits = new Map<string, string>()
  const line = (at: number, text: string): void =>
    write(`${clockText(at)} ${mask.text(printableLine(text))}\n`)

  /** Whether a line about a step is due again; if so, it counts as printed. */
  const isDue = (key: string, step: StepView, at: number): boolean => {
    const since = at - (printedAt.get(key) ?? step.startedAt ?? at)
    if (since < everyMs) return false
    printedAt.set(key, at)
    return true
  }
  const progress = (path: string, at: number): string | undefined => {
    const step = progressing(path, state)
    if (!step?.progress || !isDue(step.path, step, at)) return undefined
    const { done, total, unit, failed } = step.progress
    return `${state.items.label(step.path)}: ${done} of ${total} ${unit}${failed === 0 ? '' : `, ${failed} failed`}`
  }
  /** A batch that repeats prints how it is split only when that changes. */
  const isKnownSplit = ({ path, groups, items }: TimedRunEvent & { type: 'groups_counted' }): boolean => {
    const place = state.stepOf(path)?.path ?? path
    const split = `${groups} ${items}`
    const isKnown = splits.get(place) === split
    splits.set(place, split)
    return isKnown
  }
  const isNews = (event: TimedRunEvent, at: number): boolean => {
    if (!('path' in event)) return true
    const loop = isInItem(event.path) ? largeLoop(event.path, state) : undefined
    switch (event.type) {
      case 'logged':
        return event.level !== 'debug'
      case 'waiting': {
        const isLong = event.until === undefined || event.until - at >= shortestWaitMs
        if (event.reason === 'timeout' || (!isLong && event.reason !== 'target')) return false
        return !loop || isForPerson(event.reason) || isDue(`${loop.path} ${event.reason}`, loop, at)
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
    continue() {},
    end() {},
  }
}

function largeLoop(path: string, state: RunTree): StepView | undefined {
  const loops = enclosingPaths(path).map((place) => state.stepOf(place))
  return loops.find((step) => step && isLoopView(step) && (step.progress?.total ?? 0) > smallLoop)
}

/** The outermost step around a call that has progress. */
function progressing(path: string, state: RunTree): StepView | undefined {
  return enclosingPaths(path)
    .map((place) => state.stepOf(place))
    .find((step) => step?.progress !== undefined)
}

function isInItem(path: string): boolean {
  return path.includes('[')
}
