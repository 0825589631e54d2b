import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLineReporter } from '../../src/actions/command/report-lines.ts'
import { createMask } from '../../src/core/mask/mask.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Plays what a stream writes; a number lets so many milliseconds pass. */
function told(played: readonly (string | Buffer | number)[], secrets: readonly string[] = []) {
  const lines: string[] = []
  const reporter = createLineReporter({
    log: (level, message) => lines.push(level === 'info' ? message : `${level}: ${message}`),
    mask: createMask(secrets),
  })
  const write = reporter.stream()
  for (const one of played)
    if (typeof one === 'number') vi.advanceTimersByTime(one)
    else write(Buffer.from(one))
  const before = [...lines]
  reporter.end()
  // A stream that is read on when its command is given up tells nothing.
  write(Buffer.from('late\n'))
  vi.advanceTimersByTime(5000)
  return { before, after: lines }
}

const euro = Buffer.from('costs 5 €\n')
const cases: readonly (readonly [
  name: string,
  played: readonly (string | Buffer | number)[],
  lines: readonly string[],
])[] = [
  ['a line in pieces', ['li', 'ne 1\nli', 'ne 2\n', 1000], ['line 1', 'line 2']],
  ['what is no line yet waits', ['a\nb', 1000], ['a']],
  ['a character in pieces', [euro.subarray(0, 9), euro.subarray(9), 1000], ['costs 5 €']],
  ['a bar that draws over itself', [' 10%\r 50%\r100%\r\n', 1000], ['100%']],
  ['colours and empty lines', ['\u001b[32mok\u001b[0m\n\n   \n', 1000], ['ok']],
  ['once a second', ['a\n', 999], []],
]

describe('what a command writes', () => {
  it.each(cases)('%s', (_name, played, lines) => {
    expect(told(played).before).toEqual(lines)
  })

  it('is told by its outputs alone where it ends at once, and whole where it has begun to be told', () => {
    expect(told(['a\n', 500]).after).toEqual([])
    expect(told(['a\n', 1000, 'b\n']).after).toEqual(['a', 'b'])
  })

  it('shows no secret, also over several lines', () => {
    const { after } = told(['key: abcdef\nghijkl-\nmnop end\n', 1000], ['abcdefghijkl-mnop'])
    expect(after).toEqual(['key: (masked) end'])
  })

  it('shows no part of a secret where a line is cut', () => {
    const secret = 'SECRET-abcdefghijklmnop'
    const { after } = told([`${'x'.repeat(990)}${secret}\n`, 1000], [secret])
    expect(after).toEqual([`${'x'.repeat(990)}(masked)`])
    const flood = told([secret.repeat(50), 'y'.repeat(1e6), '\n', 1000], [secret]).after.join('')
    expect(flood).not.toMatch(/SECRET|abcd/)
    const cut = told(
      [secret.repeat(60).slice(0, -9), `${secret}z`.repeat(9000), '\n', 1000],
      [secret],
    ).after.join('')
    expect(cut).not.toMatch(/SECRET/)
  })

  it('shows no part of a secret where the middle of a flood is left out', () => {
    const secret = Array.from({ length: 20 }, (_, line) => `S${line}`).join('\n')
    const line = 'y'.repeat(60)
    for (const more of [45, 52, 60, 71]) {
      const written = ['x\n'.repeat(990), `${secret}\n`.repeat(90), `${line}\n`.repeat(more), 1000]
      const { after } = told(written, [secret])
      expect(after.at(-1)).toBe(line)
      expect(after.slice(1001).join('')).not.toMatch(/S\d/)
    }
  })

  it('has all last lines of a flood without a gap, however long a secret may be', () => {
    const secret = `S${'a'.repeat(30)}\n`.repeat(60).trimEnd()
    const lines = Array.from({ length: 1060 }, (_, line) => `line ${line} of this command`)
    const { after } = told([lines.join('\n'), '\n', 1000], [secret])
    expect(after).toEqual(lines)
    const across = [...lines.slice(0, 990), secret, ...lines.slice(1050)].join('\n')
    expect(told([across, '\n', 1000], [secret]).after.slice(1000).join('')).not.toContain('Saa')
  })

  it('is told with its last line, also without a line break, and where its first second was silent', () => {
    expect(told([2500, 'late\n', 'last']).after).toEqual(['late', 'last'])
  })

  it('is cut where it is a flood, with a count', () => {
    const { after } = told(['x\n'.repeat(2500), 1000, 'y\n'.repeat(2)])
    expect(after).toHaveLength(1101)
    expect(after[1000]).toBe('warn: 1402 lines are left out here')
    expect(after.slice(-3)).toEqual(['x', 'y', 'y'])
    expect(told(['z'.repeat(5_000_000), '\n', 1000]).after[0]).toHaveLength(1001)
  })
})
