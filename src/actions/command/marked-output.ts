import { Transform, type TransformCallback } from 'node:stream'
import type { Marks } from './shell-program.ts'

/** What a command writes to one of its streams, without what comes before and after it. */
export interface MarkedOutput {
  /** What the command writes, and nothing else. */
  readonly output: Transform
  /** Resolves when the shell is there; with false where the stream ends before. */
  readonly isBegun: Promise<boolean>
  /** What came before the shell was there, such as a message of ssh. */
  before(): string
  /** The exit code; undefined until the command has ended, and where the stream broke off before. */
  code(): number | undefined
}

/** Enough for a message of ssh, in bytes. */
const mostBefore = 16 * 1024
/** An exit code and a line break are shorter. */
const longestCode = 16

/** Takes the marks out of a stream of a shell, and drops what comes after the end of the command. */
export function createMarkedOutput({ begin, end }: Marks): MarkedOutput {
  let held: Buffer = Buffer.alloc(0)
  let before: string | undefined
  let code: number | undefined
  let settle: (isBegun: boolean) => void = () => {}
  const isBegun = new Promise<boolean>((resolve) => {
    settle = resolve
  })
  const findBegin = (): void => {
    const at = held.indexOf(begin)
    if (at < 0) {
      held = held.subarray(-mostBefore)
      return
    }
    before = held.toString('utf8', 0, at)
    held = held.subarray(at + begin.length)
    settle(true)
  }
  const findEnd = (output: Transform): void => {
    const at = held.indexOf(end)
    // What may be the beginning of the mark waits for its rest.
    const sure = at < 0 ? held.length - lengthOfBeginning(held, end) : at
    if (sure > 0) output.push(held.subarray(0, sure))
    held = held.subarray(sure)
    const rest = at < 0 ? '' : held.toString('latin1', end.length, end.length + longestCode)
    const lineEnd = rest.indexOf('\n')
    if (lineEnd < 0) return
    code = Number(rest.slice(0, lineEnd))
    output.push(null)
  }
  const output = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      if (code !== undefined) return done()
      held = Buffer.concat([held, chunk])
      if (before === undefined) findBegin()
      if (before !== undefined) findEnd(output)
      done()
    },
    flush(done: TransformCallback) {
      settle(false)
      if (before !== undefined && code === undefined && held.length > 0) output.push(held)
      done()
    },
  })
  return {
    output,
    isBegun,
    before: () => before ?? held.toString(),
    code: () => code,
  }
}

/** How many of the last bytes may be the beginning of the mark. */
function lengthOfBeginning(held: Buffer, mark: string): number {
  let length = Math.min(held.length, mark.length - 1)
  while (length > 0 && !mark.startsWith(held.toString('latin1', held.length - length))) length--
  return length
}
