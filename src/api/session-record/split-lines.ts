/** One line, without its newline. The splitter uses the object again for the next line. */
export interface RawLine {
  bytes: Buffer
  /** Where the line begins and ends in `bytes`. */
  start: number
  end: number
  /** From 1; blank lines count. */
  number: number
  /** Otherwise only the beginning is here. */
  isWhole: boolean
}

/** Cuts a stream of bytes into lines. Blank lines and a byte order mark are passed over. */
export interface LineSplitter {
  push(chunk: Buffer): void
  /** Hands over what came after the last newline; whether that was a line. */
  end(): boolean
}

/** How lines are handed over, and when not. */
export interface LineSplitterOptions {
  /** Called for each line with bytes that may be gone after the call. */
  readonly onLine: (line: Readonly<RawLine>) => void
  /** Of a longer line only so many bytes are kept. */
  readonly maxLineBytes: number
  /** Told as soon as a line turns out too long. */
  readonly onLongLine?: (number: number) => void
}

const newline = 0x0a
const byteOrderMark = Buffer.from('\uFEFF')

/** Lines that lie within one chunk are not copied; of the others the beginning waits here for its end. */
export function createLineSplitter({ onLine, maxLineBytes, onLongLine }: LineSplitterOptions): LineSplitter {
  const line: RawLine = { bytes: byteOrderMark, start: 0, end: 0, number: 0, isWhole: true }
  let parts: Buffer[] = []
  let partBytes = 0
  let isPartWhole = true

  const keep = (bytes: Buffer): void => {
    const kept = bytes.subarray(0, maxLineBytes - partBytes)
    if (kept.length > 0) parts.push(Buffer.from(kept))
    partBytes += kept.length
    if (kept.length === bytes.length || !isPartWhole) return
    isPartWhole = false
    onLongLine?.(line.number + 1)
  }

  const take = (bytes: Buffer, from: number, end: number, isWhole: boolean): boolean => {
    line.number++
    const start = line.number === 1 ? afterMark(bytes, from) : from
    if (isBlank(bytes, start, end)) return false
    line.bytes = bytes
    line.start = start
    line.end = end
    line.isWhole = isWhole
    onLine(line)
    return true
  }

  const takeParts = (): boolean => {
    const bytes = Buffer.concat(parts)
    const isWhole = isPartWhole
    parts = []
    partBytes = 0
    isPartWhole = true
    return take(bytes, 0, bytes.length, isWhole)
  }

  return {
    push(chunk) {
      let start = 0
      let end = chunk.indexOf(newline)
      if (parts.length > 0 && end !== -1) {
        keep(chunk.subarray(0, end))
        takeParts()
        start = end + 1
        end = chunk.indexOf(newline, start)
      }
      while (end !== -1) {
        take(chunk, start, end, true)
        start = end + 1
        end = chunk.indexOf(newline, start)
      }
      if (start < chunk.length) keep(chunk.subarray(start))
    },
    end: () => parts.length > 0 && takeParts(),
  }
}

function afterMark(bytes: Buffer, start: number): number {
  const end = start + byteOrderMark.length
  return bytes.subarray(start, end).equals(byteOrderMark) ? end : start
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false
  }
  return true
}
