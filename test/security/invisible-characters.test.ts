/** Two names that look the same: a stranger puts characters into a text that show nothing, or reverse what is around. */

import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { describe, expect, it } from 'vitest'
import { printable, printableLine } from '../../src/project/text/index.ts'
import { printableInColumns } from '../../src/project/text/printable.ts'
import '../../src/console/pages/pages.tsx'
import { showInvisible, showInvisibleInJson } from '../../src/core/text/invisible.ts'
import { composeNotices } from '../../src/notifications/compose-notices.ts'
import { lineText } from '../../src/view/graph/box-words.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

const characters: Readonly<Record<string, readonly string[]>> = {
  'zero-width': ['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u180e'],
  'direction marks': ['\u200e', '\u200f', '\u061c', '\u202a', '\u202e', '\u2066', '\u2069'],
  'tag letters': ['\u{e0041}', '\u{e007f}', '\u{e0001}'],
  'variation selectors': ['\ufe00', '\ufe0f', '\u{e0100}'],
  fillers: ['\u115f', '\u1160', '\u3164', '\uffa0', '\u2800', '\u17b4', '\ufffc', '\u{16fe4}', '\u{1d159}'],
  'line separators': ['\u2028', '\u2029', '\u0085'],
  controls: ['\u0000', '\u0007', '\u0008', '\u001b', '\u007f', '\u0080', '\u009b', '\u009d'],
  'halves of characters': ['\ud800', '\udfff'],
}

describe.each(Object.entries(characters))('%s', (_, each) => {
  it.each(each.map((character) => [character.codePointAt(0)?.toString(16), character]))(
    '%s',
    (code, found) => {
      const text = `web${found}-01`
      const shown = new RegExp(`^web\\\\(x|u|u\\{)0*${code}\\}?-01$`)
      expect(printable(text)).toMatch(shown)
      expect(printableLine(text)).toMatch(shown)
      expect(render(h('p', {}, text)).replaceAll(/<\/?p>/g, '')).toMatch(shown)
      expect(printableInColumns(text)).toBe(`web${'\ufffd'.repeat(String(found).length)}-01`)
      expect(lineText(text)).toBe('web\ufffd-01')
      const json = showInvisibleInJson(JSON.stringify({ [text]: [text] }))
      expect(JSON.parse(json)).toEqual({ [text]: [text] })
      expect(json).not.toContain(found)
      const [notice] = composeNotices({
        targets: [{ on: ['run_failed'], reference: 'env:CHAT', format: 'slack' }],
        place: { facts: {}, text: text, flags: '' },
        mask: (one) => one,
      })({ kind: 'run_failed', runbook: text, title: text, message: text, step: text, sinceMs: 0 } as never)
      const { text: chat } = JSON.parse(notice?.body ?? '{}') as { readonly text: string }
      expect(chat).not.toContain(found)
      expect(chat).toMatch(new RegExp(`web\\\\(x|u|u\\{)0*${code}\\}?-01`))
    },
  )
})

it.each(['a\nb\tc', 'Grüße, 東京, مرحبا', '❤️ 👩‍💻 👍🏽 👩🏽‍💻 🏳️‍🌈', 'a\u00a0b\u202fc', '🇩🇪'])(
  '%j stays',
  (text) => {
    expect(showInvisible(text)).toBe(text)
  },
)

it('documents and log lines of commands hold none', async () => {
  const text = `apiVersion: opsbook/v1
name: example
steps:
  - { id: a, uses: core/log, with: { message: "web\u200b-01 \u{e0041}" } }
outputs: { host: "web\u200b-01\u{e0041}" }
`
  const folder = await newFolder({ 'a.yaml': text })
  const { stdout } = await opsbook(['run', 'a.yaml', '--sandbox', '--output', 'json'], { folder })
  expect(JSON.parse(stdout)).toMatchObject({ outputs: { host: 'web\u200b-01\u{e0041}' } })
  expect(stdout).not.toMatch(/[\u200b\u{e0041}]/u)
})
