import { expect } from 'vitest'
import { opsbook, type Surroundings } from '../../cli/support/opsbook.ts'
import { formsIn } from './encoded-forms.ts'

/** Every way to look at the latest run. */
export const views: readonly string[] = [
  'show latest',
  'show latest --full',
  'show latest --full -o json',
  'logs latest',
  'logs latest -o ndjson',
  'watch latest',
]

/** What command lines have written, and the codes that they have ended with. */
export interface Seen {
  readonly texts: Readonly<Record<string, string>>
  readonly codes: Readonly<Record<string, number>>
  /** Runs more of them, in `data`. */
  play(...lines: readonly string[]): Promise<void>
  /** None of these values is in any of the texts, in no encoding. */
  expectHidden(...values: readonly string[]): void
}

export function lookOn(surroundings: Surroundings): Seen {
  const texts: Record<string, string> = {}
  const codes: Record<string, number> = {}
  return {
    texts,
    codes,
    async play(...lines) {
      for (const line of lines) {
        const { code, stdout, stderr } = await opsbook(
          [...line.split(' '), '--data-dir', 'data'],
          surroundings,
        )
        texts[line] = (texts[line] ?? '') + stdout + stderr
        codes[line] = code
      }
    },
    expectHidden(...values) {
      for (const value of values)
        for (const [line, text] of Object.entries(texts))
          expect({ line, value, forms: formsIn(text, value) }).toEqual({ line, value, forms: [] })
    },
  }
}
