import { describe, expect, it } from 'vitest'
import { createActions } from '../../src/actions/index.ts'
import { loadRunbook } from '../../src/load/index.ts'

const actions = createActions()
const head = 'apiVersion: opsbook/v1\nname: a\n'
const step = (id: string): string => `  - { id: ${id}, uses: core/log, with: { message: hi } }\n`
const sound = `${head}steps:\n${step('x')}`

function findings(input: string | Uint8Array): readonly string[] {
  return loadRunbook(input, actions).diagnostics.map(
    ({ code, range }) => `${code} ${range.start.line}:${range.start.column}`,
  )
}

describe('sizes', () => {
  const mostBytes = 256 * 1024
  const filled = (bytes: number): string => sound + '#'.repeat(bytes - Buffer.byteLength(sound))

  it('reads a file of 256 KB, and none that is larger', () => {
    expect(findings(filled(mostBytes))).toEqual([])
    expect(findings(filled(mostBytes + 1))).toEqual(['FILE_TOO_LARGE 1:1'])
    expect(findings(Buffer.from(filled(mostBytes + 1)))).toEqual(['FILE_TOO_LARGE 1:1'])
  })

  it('counts bytes and not characters', () => {
    const text = `${sound}#${'ä'.repeat(mostBytes / 2)}`
    expect(findings(text)).toEqual(['FILE_TOO_LARGE 1:1'])
  })

  it('reads 500 steps, at any position, and reports the next one', () => {
    const steps = (count: number, prefix: string): string =>
      Array.from({ length: count }, (_, index) => step(`${prefix}${index}`)).join('')
    const inner = steps(200, 'c').replaceAll(/^ {2}/gm, '      ')
    const blocks = (last: number): string =>
      `${head}steps:\n${steps(298, 'a')}  - id: block\n    steps:\n${inner}finally:\n${steps(last, 'f')}`
    expect(findings(blocks(1))).toEqual([])
    const one = findings(blocks(2))
    expect(one).toEqual(['TOO_MANY_STEPS 506:5'])
    expect(findings(blocks(20))).toEqual(one)
  })

  it('knows the names of steps beyond the 500, and looks at their shape only', () => {
    const steps = Array.from({ length: 505 }, (_, index) => step(`a${index}`)).join('')
    const last =
      '  - { id: last, uses: core/log, with: { message: "${{ steps.a503.outputs.x + nothing }}" }, timout: 3s }\n'
    const outputs = 'outputs: { a: "${{ steps.a504.outputs.b }}", c: "${{ steps.none.outputs }}" }\n'
    expect(findings(`${head}steps:\n${steps}${last}${outputs}`)).toEqual([
      expect.stringMatching(/^TOO_MANY_STEPS/),
      expect.stringMatching(/^UNKNOWN_KEY/),
      expect.stringMatching(/^UNKNOWN_STEP/),
    ])
  })

  it('reads lists of 10,000 items', () => {
    const list = (count: number): string =>
      `${head}steps:\n  - id: x\n    uses: core/set\n    with: { a: [${Array(count).fill(1).join()}], b: "\${{ run.x }}" }\n`
    expect(findings(list(10_000))).toEqual([expect.stringMatching(/^UNKNOWN_FIELD/)])
    expect(findings(list(10_001))).toEqual(['LIST_TOO_LONG 6:16', expect.stringMatching(/^UNKNOWN_FIELD/)])
  })

  it('follows aliases for 10,000 values in all', () => {
    const text = `${head}steps:\n  - id: x\n    uses: core/set\n    with: { a: &a [${Array(3000).fill(1).join()}], b: [*a, *a, *a], c: *a }\n`
    expect(findings(text)).toEqual([])
    expect(findings(text.replace('c: *a', 'c: *a, d: *a'))).toEqual([
      expect.stringMatching(/^TOO_MANY_ALIASES 6:/),
    ])
  })

  it('takes expressions of 2,000 characters', () => {
    const text = (length: number): string =>
      `${head}steps:\n  - { id: x, uses: core/log, with: { message: "\${{ '${'x'.repeat(length - 2)}' }}" } }\n`
    expect(findings(text(1990))).toEqual([])
    expect(findings(text(2001))).toEqual([expect.stringMatching(/^EXPRESSION_SYNTAX 4:/)])
  })
})

describe('text', () => {
  it('is given as bytes or as text, with or without a mark', () => {
    expect(findings(Buffer.from(sound))).toEqual([])
    expect(findings(`\ufeff${sound}`)).toEqual([])
    expect(findings(Buffer.from(`\ufeff${sound}`))).toEqual([])
    const wrong = `\ufeff${sound.replace('core/log', 'nope')}`
    expect(findings(wrong)).toEqual(['UNKNOWN_ACTION 4:20'])
    expect(findings(Buffer.from(wrong))).toEqual(['UNKNOWN_ACTION 4:20'])
  })

  it('is what the result holds, as positions count it', () => {
    expect(loadRunbook(`\ufeff${sound}`, actions).texts).toEqual({ '': sound })
    expect(loadRunbook(Buffer.from(sound), actions, { file: 'a/b.yaml' }).texts).toEqual({
      'a/b.yaml': sound,
    })
  })

  const utf16 = (text: string, isBig: boolean): Buffer => {
    const bytes = Buffer.from(text, 'utf16le')
    return isBig ? bytes.swap16() : bytes
  }
  const encodings: readonly (readonly [name: string, bytes: Buffer])[] = [
    ['UTF-16, little end first, marked', utf16(`\ufeff${sound}`, false)],
    ['UTF-16, big end first, marked', utf16(`\ufeff${sound}`, true)],
    ['UTF-16, little end first', utf16(sound, false)],
    ['UTF-16, big end first', utf16(sound, true)],
  ]
  it.each(encodings)('is no %s', (_, bytes) => {
    for (const input of [bytes, bytes.toString('utf8')]) {
      const { diagnostics, plan } = loadRunbook(input, actions)
      expect(plan).toBeUndefined()
      expect(diagnostics).toMatchObject([{ code: 'NOT_TEXT', message: expect.stringContaining('UTF-16') }])
      expect(diagnostics[0]?.range.start.offset).toBe(0)
    }
  })

  const foreign: readonly (readonly [name: string, characters: string | Buffer])[] = [
    ['NUL', '\0'],
    ['a control character', '\x1b'],
    ['DEL', '\x7f'],
    ['half of a character', '\ud800'],
    ['the other half', '\udc00'],
    ['a byte that begins nothing', Buffer.from([0xff])],
    ['a character of Latin-1', Buffer.from([0xe9, 0x20])],
    ['a character cut off', Buffer.from([0xe2, 0x82])],
    ['half of a character in bytes', Buffer.from([0xed, 0xa0, 0x80])],
  ]
  it.each(foreign)('holds no %s', (_, characters) => {
    const [before, after] = [`${head}title: "ä `, `"\nsteps:\n${step('x')}`]
    const input =
      typeof characters === 'string'
        ? before + characters + after
        : Buffer.concat([Buffer.from(before), characters, Buffer.from(after)])
    expect(findings(input)).toEqual(['NOT_TEXT 3:11'])
  })

  it('may hold every other character', () => {
    const title =
      'tab\t nel\u0085 nbsp\u00a0 zwj\u200d ls\u2028 emoji\u{1f600} private\ue000 astral\u{10fffd}'
    expect(findings(`${head}title: "${title}"\nsteps:\n${step('x')}`)).toEqual([])
  })
})
