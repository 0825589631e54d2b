import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { newFolder, opsbook } from './support/opsbook.ts'

const book = `apiVersion: opsbook/v1
name: book
inputs:
  type: object
  properties:
    host: { type: string, default: web-01 }
    chat: { type: string, default: "https://chat.test/" }
    session: { type: string, default: sess_nested }
    also: { type: boolean, default: false }
steps:
  - { id: look, uses: monit/tools/catalog, save-as: tools.json, with: { target_locator: "\${{ inputs.host }}", target_kind: host } }
  - { id: make, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }
  - { id: read, uses: safari/session/export, save-as: session.ndjson, with: { session_id: "\${{ inputs.session }}" } }
  - { id: also, if: "\${{ inputs.also }}", uses: core/http, with: { url: "https://other.test/" } }
  - { id: ask, uses: core/approve, timeout: 1d, with: { message: go? } }
  - { id: tell, uses: core/http, with: { method: POST, url: "\${{ inputs.chat }}", body: { text: os.overview }, safety: idempotent } }
  - { id: shown, uses: rum/application/infos, with: { application_ids: ["\${{ steps.make.outputs.application_id }}"] } }
  - { id: keep, uses: core/write, save-as: note.txt, with: { content: shop } }
outputs: { name: "\${{ steps.shown.outputs.items[0].application_name }}", id: "\${{ steps.make.outputs.application_id }}" }
`
const before = `runbook: ./book.yaml
defaults:
  calls:
    tell: { output: {} }
  answers: { ask: { after: 4h } }
tests:
`

interface AgainstCase {
  readonly name: string
  readonly test: object
  /** The same test a second time. */
  readonly again?: true
  readonly flags?: readonly string[]
  readonly code?: number
  /** Parts of the output. */
  readonly shows?: readonly string[]
  readonly hides?: readonly string[]
}

const cases = parse(
  readFileSync(new URL('../cases/testing/against-sandbox.yaml', import.meta.url), 'utf8'),
) as readonly AgainstCase[]

/** A test in two lines: its name, and the rest of it. */
const written = (name: string, test: object): string =>
  `  - name: ${name}\n${stringify(test).trimEnd().replace(/^/gm, '    ')}\n`

it.each(cases)('$name', async ({ test, again, flags = [], code = 0, shows = [], hides = [] }) => {
  const tests = written('one', test) + (again ? written('one more', test) : '')
  const folder = await newFolder({ 'book.yaml': book, 'book.test.yaml': before + tests })
  const result = await opsbook(['test', '--against', 'sandbox', ...flags], { folder })
  for (const part of shows) expect(result.stdout).toContain(part)
  for (const part of hides) expect(result.stdout).not.toContain(part)
  expect(result, result.stdout + result.stderr).toMatchObject({ code, stderr: '' })
})

it('tries no faults against a sandbox, and updates nothing', async () => {
  const file = `${before}${written('one', { expect: { status: 'succeeded' } })}faults: each\n`
  const folder = await newFolder({ 'book.yaml': book, 'book.test.yaml': file })
  const test = (...words: readonly string[]) =>
    opsbook(['test', '--against', 'sandbox', ...words], { folder })
  const refused = await test()
  expect(refused.code).toBe(2)
  expect(refused.stdout).toContain('book.test.yaml:10:1 error WRONG_VALUE  faults cannot be tried against')
  expect(refused.stdout).toContain('hint: --only TEXT runs tests without faults')
  expect(await test('--only', 'one')).toMatchObject({ code: 0 })
  expect(await test('--update')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--update and --against cannot be combined'),
  })
})
