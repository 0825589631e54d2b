import cliTruncate from 'cli-truncate'
import { createLogUpdate } from 'log-update'
import type { Mask } from '../../../core/mask/mask.ts'
import type { Io } from '../../io.ts'
import { holdKeys } from '../../terminal/hold-keys.ts'
import type { Paint } from '../../terminal/paint.ts'
import { printableLine } from '../../terminal/printable.ts'
import { chooseSymbols } from '../../terminal/symbols.ts'
import { eventText } from './event-text.ts'
import type { Follower } from './follower.ts'
import { drawFrame } from './frame.ts'
import type { RunState } from './run-state.ts'

const redrawEveryMs = 100
const isControlRequest: ReadonlySet<string> = new Set(['run_cancelling', 'run_paused', 'run_unpaused'])
const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'

/** A picture of the run on stderr, redrawn ten times a second; the cursor and the keys are given back on every way out. */
export function createLiveView(
  state: RunState,
  io: Io,
  paint: Paint,
  mask: Mask,
  firstNote: string,
): Follower {
  const stream = io.stderr
  const symbols = chooseSymbols(io.env)
  // The type asks for a whole stream, the library only writes and reads the size.
  const update = createLogUpdate(stream as NodeJS.WriteStream, { showCursor: true })
  const clean = (text: string): string => printableLine(mask.text(text))
  let note = firstNote
  let tick = 0

  const draw = (): void => {
    // The last column stays free: some terminals break the line there.
    const columns = Math.max(1, (stream.columns || 80) - 1)
    const rows = Math.max(1, (stream.rows || 24) - 1)
    const lines = drawFrame(state, {
      paint,
      symbols,
      now: Date.now(),
      tick: tick++,
      columns,
      rows,
      note,
      clean,
      items: state.items,
    })
    // What does not even fit then is cut from below; wide characters may have made a line longer than it was thought.
    update(
      lines
        .slice(0, rows)
        .map((line) => cliTruncate(line, columns))
        .join('\n'),
    )
  }
  let timer: NodeJS.Timeout | undefined
  let hasEnded = false
  let letGo = (): void => {}

  const show = (): void => {
    if (timer || hasEnded) return
    stream.write(hideCursor)
    letGo = holdKeys(io)
    timer = setInterval(draw, redrawEveryMs)
  }
  const hide = (isKept: boolean): void => {
    if (!timer) return
    clearInterval(timer)
    timer = undefined
    if (isKept) draw()
    else update.clear()
    update.done()
    letGo()
    stream.write(showCursor)
  }
  show()
  const forgetExit = io.onExit(() => stream.write(showCursor))
  return {
    take(event) {
      if (isControlRequest.has(event.type)) note = clean(eventText(event, state) ?? '')
    },
    say(text) {
      note = text
    },
    pause: () => hide(true),
    goOn: show,
    end({ isKept }) {
      hasEnded = true
      note = ''
      hide(isKept)
      forgetExit()
    },
  }
}
