import cliTruncate from 'cli-truncate'
import { createLogUpdate } from 'log-update'
import type { Mask } from '../../../core/mask/index.ts'
import type { Paint } from '../../../project/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import type { RunTree } from '../../../view/run/index.ts'
import type { Io } from '../../shared/io.ts'
import { holdKeys } from '../../shared/terminal/hold-keys.ts'
import { chooseSymbols } from '../../shared/terminal/symbols.ts'
import { eventText } from './event-text.ts'
import type { Follower } from './follower.ts'
import { drawFrame } from './frame.ts'

const redrawEveryMs = 100
const isControlRequest: ReadonlySet<string> = new Set(['run_cancelling', 'run_paused', 'run_unpaused'])
const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'

/** Draws the run on stderr ten times a second. The cursor and the keyboard are restored however it ends. */
export function createLiveView(
  state: RunTree,
  io: Io,
  paint: Paint,
  mask: Mask,
  firstNote: string,
): Follower {
  const stream = io.stderr
  const symbols = chooseSymbols(io.env)
  // The type requires a whole stream; the library only writes and reads the size.
  const update = createLogUpdate(stream as NodeJS.WriteStream, { showCursor: true })
  const clean = (text: string): string => printableLine(mask.text(text))
  let note = firstNote
  let tick = 0

  const draw = (isStill = false): void => {
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
      isStill,
    })
    // The rest is cut; wide characters can make a line longer than computed.
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
    timer = setInterval(() => draw(), redrawEveryMs)
  }
  const hide = (isKept: boolean, isStill = false): void => {
    if (!timer) return
    clearInterval(timer)
    timer = undefined
    if (isKept) draw(isStill)
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
      if (hasEnded) stream.write(`${clean(text)}\n`)
      else note = text
    },
    pause: () => hide(true, true),
    continue: show,
    end({ isKept }) {
      hasEnded = true
      note = ''
      hide(isKept)
      forgetExit()
    },
  }
}
