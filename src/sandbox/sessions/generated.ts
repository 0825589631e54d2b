import { mainAccount } from '../keys.ts'
import { pause } from '../pause.ts'
import { formatLine, type LineOptions } from './lines.ts'
import { eventTime, metaOf } from './recorded.ts'

/** Every event line of a generated session has this many bytes, its newline included. */
const lineBytes = 1000

/** Lines that go out together: large enough to be quick, small enough to keep memory flat. */
const linesAtOnce = 64

const filler =
  'All checks of this round passed; the next round looks at disks, memory and open connections. '.repeat(11)

/** `count` lines in all, made while they are read. */
export async function* generatedLines(id: string, count: number): AsyncGenerator<string> {
  yield formatLine(metaOf({ id, accountId: mainAccount, appName: 'generator' }, count - 1))
  for (let first = 1; first < count; first += linesAtOnce) {
    let chunk = ''
    for (let seq = first; seq < Math.min(first + linesAtOnce, count); seq++) chunk += generatedLine(seq)
    yield chunk
  }
}

/** Lines that never end, ten a second. */
export async function* endlessLines(id: string, { closing }: LineOptions): AsyncGenerator<string> {
  yield formatLine(metaOf({ id, accountId: mainAccount, appName: 'generator' }, 100_000))
  for (let seq = 1; !closing.aborted; seq++) {
    yield generatedLine(seq)
    await pause(100, closing)
  }
}

function generatedLine(seq: number): string {
  const start = `{"type":"agent_text","seq":${seq},"ts":"${eventTime(seq)}","content":"`
  return `${start}${filler.slice(0, lineBytes - start.length - 3)}"}\n`
}
