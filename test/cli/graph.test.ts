import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const look = `apiVersion: opsbook/v1
name: look
title: Look at hosts
inputs:
  type: object
  properties: { password: { type: string, writeOnly: true } }
steps:
  - id: hosts
    for-each: { items: [1, 2, 3], tolerate: all }
    steps:
      - { id: check, uses: core/assert, with: { that: ["\${{ item != 2 }}"], message: not this one } }
  - { id: tell, name: Tell hunter2-hunter2 about it, uses: core/log, with: { message: done } }
`

const page = '# Page\r\n\r\n<!-- opsbook graph look.yaml -->\r\n<!-- /opsbook graph -->\r\nend\r\n'

describe('graph --write', () => {
  it('replaces what is between the markers, and --check says when it is stale', async () => {
    const folder = await newFolder({ 'look.yaml': look, 'page.md': page })
    const graph = (...words: readonly string[]) =>
      opsbook(['graph', '--write', 'page.md', ...words], { folder })
    const text = () => readFile(join(folder, 'page.md'), 'utf8')
    expect(await graph('--check')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'page.md:3 stale the graph of look.yaml\n  opsbook graph --write page.md\n',
    })
    expect(await text()).toBe(page)
    expect(await graph()).toMatchObject({ code: 0, stdout: 'page.md: 1 graph written\n', stderr: '' })
    const written = await text()
    expect(written).toMatch(
      /^# Page\r\n\r\n<!-- opsbook graph look.yaml -->\r\n\r\n```mermaid\r\nflowchart TB\r\n/,
    )
    expect(written).toMatch(/\r\n```\r\n\r\n<!-- \/opsbook graph -->\r\nend\r\n$/)
    expect(written).not.toMatch(/[^\r]\n/)
    for (const words of [['--check'], []])
      expect(await graph(...words)).toMatchObject({ code: 0, stdout: 'page.md: 1 graph up to date\n' })
    await writeFile(join(folder, 'look.yaml'), look.replace('id: tell', 'id: say'))
    expect((await graph('--check')).code).toBe(1)
    expect((await graph('look')).code, 'a runbook that is not in the page').toBe(2)
    expect((await graph('look.yaml')).stdout).toBe('page.md: 1 graph written\n')
  })

  const pages: readonly (readonly [name: string, text: string, said: string])[] = [
    ['no markers', '# Page\n', 'page.md has no place for a graph'],
    [
      'markers in a block of code',
      '```\n<!-- opsbook graph look.yaml -->\n<!-- /opsbook graph -->\n```\n',
      'page.md has no place',
    ],
    ['a graph without end', 'x\n<!-- opsbook graph look.yaml -->\n', 'page.md:2 the graph has no end'],
    [
      'a second beginning',
      '<!-- opsbook graph a -->\n<!-- opsbook graph b -->\n<!-- /opsbook graph -->\n',
      'page.md:1 the graph has no end',
    ],
    ['an end alone', 'x\n\n<!-- /opsbook graph -->\n', 'page.md:3 the end of a graph that has no beginning'],
    [
      'an unknown runbook',
      '<!-- opsbook graph nope -->\n<!-- /opsbook graph -->\n',
      'page.md:1 there is no runbook "nope"',
    ],
    [
      'an invalid runbook',
      '<!-- opsbook graph bad.yaml -->\n<!-- /opsbook graph -->\n',
      'page.md:1 bad.yaml is not a valid runbook',
    ],
  ]
  it.each(pages)('of a page with %s is refused, and nothing is written', async (_, text, said) => {
    const bad = 'apiVersion: opsbook/v1\nname: bad\nsteps: [{ id: a, uses: core/nope }]\n'
    const folder = await newFolder({ 'look.yaml': look, 'bad.yaml': bad, 'page.md': text })
    const { code, stderr } = await opsbook(['graph', '--write', 'page.md'], { folder })
    expect(code).toBe(2)
    expect(stderr).toContain(said)
    expect(await readFile(join(folder, 'page.md'), 'utf8')).toBe(text)
  })
})

const mistakes: readonly (readonly [words: readonly string[], said: string])[] = [
  [[], 'there is nothing to draw'],
  [['look.yaml', '--run', 'latest'], 'a runbook and --run are given'],
  [['--run', 'latest', '--write', 'page.md'], '--run and --write are given'],
  [['look.yaml', '--check'], '--check needs --write'],
  [['--write', 'page.md', '--format', 'svg'], '--write writes Mermaid, and --format is svg'],
  [['--write', 'nowhere.md'], 'nowhere.md cannot be read: there is no such file'],
  [['--run', 'latest'], 'there are no runs in'],
  [['look.yaml', '--format', 'dot'], "option '--format <format>' argument 'dot' is invalid"],
]
test.each(mistakes)('graph %j is wrong usage', async (words, said) => {
  const { code, stdout, stderr } = await opsbook(['graph', ...words])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(said)
})

test('an error for a program is JSON', async () => {
  const { code, stdout } = await opsbook(['graph', 'nope', '--format', 'json'])
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'RunbookNotFound' } })
})

test('a run is drawn with what became of it, and masked as show masks it', async () => {
  const folder = await newFolder({ 'look.yaml': look })
  const run = ['run', 'look.yaml', '-q', '--input', 'password=hunter2-hunter2']
  expect((await opsbook(run, { folder })).code).toBe(0)
  const draw = async (format: string) =>
    (await opsbook(['graph', '--run', 'latest', '--format', format], { folder })).stdout
  const { box, run: of } = JSON.parse(await draw('json'))
  expect(of.run_id).toMatch(/^run_/)
  expect(box.run.status).toBe('succeeded')
  expect(box.parts[0].run).toMatchObject({
    status: 'succeeded',
    items: { unit: 'items', total: 3, ended: { succeeded: 2, failed: 1 }, open: 0 },
  })
  expect(box.parts[0].parts[0].run).toMatchObject({ status: 'failed', times: { succeeded: 2, failed: 1 } })
  for (const format of ['mermaid', 'svg', 'json']) {
    const text = await draw(format)
    expect(text).not.toContain('hunter2')
    expect(text).toContain('masked')
  }
  expect(await draw('svg')).toContain('2 of 3 items succeeded, 1 failed')
})

// `npm run docs` writes them.
test('the graphs of docs/runbooks.md are those of the runbooks that ship', async () => {
  const folder = fileURLToPath(new URL('../../', import.meta.url))
  const { code, stderr } = await opsbook(['graph', '--write', 'docs/runbooks.md', '--check'], { folder })
  expect(code, stderr).toBe(0)
})
