import type { VNode } from 'preact'
import { statusWord } from '../../../view/text/index.ts'

/** The color of a state: how it is meant, not which it is. */
export type Tone = 'good' | 'bad' | 'held' | 'open' | 'idle'

interface Look {
  readonly tone: Tone
  /** Drawn in a box of 16 by 16: the signs of the terminal. */
  readonly path: string
}

const check = 'M3 8.5 6.5 12 13 4.5'
const cross = 'M4 4l8 8M12 4l-8 8'
const slashed = 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11ZM4.2 11.8l7.6-7.6'
const question = 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M8 12.6v.6'
const dash = 'M4 8h8'
const dot = 'M8 7.6v.8'
const watch = 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11ZM8 5v3l2 1.5'
const warning = 'M8 3v6.5M8 12.6v.4'
const openRing = 'M8 2.5a5.5 5.5 0 1 0 5.5 5.5'
const pause = 'M5.5 4v8M10.5 4v8'
const broken = 'M3 8h3l1-3 2 6 1-3h3'

const looks: Readonly<Record<string, Look>> = {
  succeeded: { tone: 'good', path: check },
  started: { tone: 'good', path: check },
  ok: { tone: 'good', path: check },
  active: { tone: 'good', path: check },
  caught: { tone: 'held', path: check },
  failed: { tone: 'bad', path: cross },
  fail: { tone: 'bad', path: cross },
  broken: { tone: 'bad', path: cross },
  cancelled: { tone: 'held', path: slashed },
  unknown: { tone: 'held', path: question },
  tolerated: { tone: 'held', path: warning },
  warn: { tone: 'held', path: warning },
  interrupted: { tone: 'held', path: broken },
  waiting: { tone: 'held', path: watch },
  paused: { tone: 'held', path: pause },
  queued: { tone: 'idle', path: watch },
  running: { tone: 'open', path: openRing },
  skipped: { tone: 'idle', path: dash },
  ended: { tone: 'idle', path: dash },
  pending: { tone: 'idle', path: dot },
}

const other: Look = { tone: 'idle', path: dot }

/** The color of a state. */
export function toneOf(status: string): Tone {
  return (looks[status] ?? other).tone
}

/** The sign of a state: never alone, its word stands beside it. */
export function StatusSign({ status }: { readonly status: string }): VNode {
  const { tone, path } = looks[status] ?? other
  return (
    <svg class={`sign ${tone} ${status}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

/** A state as sign and word. */
export function Status({
  status,
  word = statusWord(status),
}: {
  readonly status: string
  readonly word?: string
}): VNode {
  return (
    <span class={`status ${toneOf(status)}`}>
      <StatusSign status={status} />
      {word}
    </span>
  )
}
