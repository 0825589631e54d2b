import { writeFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const good = `apiVersion: opsbook/v1
name: good
steps:
  - id: catalog
    uses: monit/tools/catalog
    with: { target_locator: web-01 }
`
const bad = good.replace('monit/tools/catalog', 'monit/tools/catalgo')

test('a sound file has no findings', async () => {
  const folder = await newFolder({ 'good.yaml': good })
  expect(await opsbook(['validate', 'good.yaml'], { folder })).toMatchObject({
    code: 0,
    stdout: '1 file checked: no findings\n',
    stderr: '',
  })
})

test('hooks are looked up in opsbook.yaml, where there is one', async () => {
  const triggered = good.replace('steps:', 'triggers: [{ type: incident, hook: monti }]\nsteps:')
  const alone = await newFolder({ 'good.yaml': triggered })
  expect((await opsbook(['validate', 'good.yaml'], { folder: alone })).stdout).toContain('no findings')
  const folder = await newFolder({ 'good.yaml': triggered, 'opsbook.yaml': 'hooks: { monit: {} }\n' })
  const { code, stdout } = await opsbook(['validate', 'good.yaml'], { folder })
  expect(code).toBe(0)
  expect(stdout).toContain('good.yaml:3:36 warning UNKNOWN_HOOK  there is no hook "monti" in opsbook.yaml')
  expect(stdout).toContain('hint: did you mean "monit"?')
})

test('people are looked up in opsbook.yaml, where there is one', async () => {
  const asking = good.replace(
    'steps:',
    'steps:\n  - { id: ok, uses: core/approve, with: { message: "Go?", from: { groups: [leads] }, timeout: 1h, on-timeout: approve } }',
  )
  const silent =
    'warning TIMEOUT_APPROVES  "from" says who may approve, and after 1h the step is approved without them'
  const alone = await opsbook(['validate', 'good.yaml'], { folder: await newFolder({ 'good.yaml': asking }) })
  expect(alone.stdout).toContain(silent)
  expect(alone.stdout).not.toContain('CANNOT_BE_ANSWERED')
  const people = 'people: { trust: [system-user], groups: { lead: [ada] } }\n'
  const folder = await newFolder({ 'good.yaml': asking, 'opsbook.yaml': people })
  const { code, stdout } = await opsbook(['validate', 'good.yaml'], { folder })
  expect(code).toBe(0)
  expect(stdout).toContain('no one can answer: leads has no members; opsbook.yaml has no group leads')
  const plan = await opsbook(['plan', 'good.yaml'], { folder })
  expect(plan.stdout).toContain('no one can answer: leads has no members')
  expect(plan.stdout).toContain('without an answer in 1h: approved')
})

test('secrets are looked up in opsbook.yaml, where there is one', async () => {
  const naming = good.replace('steps:', 'secrets: [token, tokn, other]\nsteps:')
  const alone = await opsbook(['validate', 'good.yaml'], { folder: await newFolder({ 'good.yaml': naming }) })
  expect(alone.stdout).not.toContain('UNKNOWN_SECRET')
  const folder = await newFolder({ 'good.yaml': naming, 'opsbook.yaml': 'secrets: { token: env:TOKEN }\n' })
  const { code, stdout } = await opsbook(['validate', 'good.yaml'], { folder })
  expect(code).toBe(0)
  expect(stdout).toContain('good.yaml:3:18 warning UNKNOWN_SECRET  opsbook.yaml has no secret "tokn"')
  expect(stdout).toContain('hint: did you mean "token"?')
  expect(stdout).toContain('hint: add it: secrets: { other: env:NAME }')
})

test('an opsbook.yaml without people has no one who can answer', async () => {
  const asking = good.replace(
    'steps:',
    'steps:\n  - { id: ok, uses: core/approve, with: { message: "Go?", from: { groups: [leads], count: 3 } } }',
  )
  const folder = await newFolder({ 'good.yaml': asking, 'opsbook.yaml': 'connections: {}\n' })
  const { stdout } = await opsbook(['validate', 'good.yaml'], { folder })
  expect(stdout).toContain('CANNOT_BE_ANSWERED  no one can answer: it counts verified names only')
})

test('a finding has its place, the line, carets under the mistake, and what to write instead', async () => {
  const folder = await newFolder({ 'bad.yaml': bad })
  const { code, stdout } = await opsbook(['validate', 'bad.yaml'], { folder })
  expect(code).toBe(2)
  expect(stdout).toBe(
    [
      'bad.yaml:5:11 error UNKNOWN_ACTION  there is no action "monit/tools/catalgo"',
      '  5 |     uses: monit/tools/catalgo',
      '    |           ^^^^^^^^^^^^^^^^^^^',
      '  hint: did you mean "monit/tools/catalog"?',
      '',
      '1 file checked: 1 error',
      '',
    ].join('\n'),
  )
})

test('json: every file with its findings, lines and columns from 1', async () => {
  const folder = await newFolder({ 'good.yaml': good, 'bad.yaml': bad })
  const { code, stdout } = await opsbook(['validate', 'good.yaml', 'bad.yaml', '-o', 'json'], { folder })
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toEqual({
    files: [
      { file: 'good.yaml', diagnostics: [] },
      {
        file: 'bad.yaml',
        diagnostics: [
          {
            code: 'UNKNOWN_ACTION',
            severity: 'error',
            message: 'there is no action "monit/tools/catalgo"',
            hint: 'did you mean "monit/tools/catalog"?',
            path: 'steps[0].uses',
            line: 5,
            column: 11,
            end_line: 5,
            end_column: 30,
          },
        ],
      },
    ],
    errors: 1,
    warnings: 0,
  })
})

test('stdin', async () => {
  const { code, stdout } = await opsbook(['validate', '-'], { stdin: bad })
  expect(code).toBe(2)
  expect(stdout).toContain('<stdin>:5:11 error')
})

test('a folder: the runbooks in it and under it, and nothing else that is YAML', async () => {
  const folder = await newFolder({
    'good.yaml': good,
    'misspelt.yml': good.replace('opsbook/v1', 'opsbok/v1'),
    'pipeline.yml': good.replace('apiVersion: opsbook/v1\n', ''),
    'compose.yaml': 'services: {}\n',
    'empty.yaml': '',
    'manifest.yaml': 'apiVersion: v1\nkind: Pod\n',
    'opsbook.yaml': 'connections: {}\n',
    'notes.txt': 'steps:',
  })
  for (const inner of ['deep', 'node_modules', '.hidden']) {
    await mkdir(join(folder, inner))
    await writeFile(join(folder, inner, 'inner.yaml'), bad)
  }
  const { stdout, stderr } = await opsbook(['validate', '.', '-o', 'json'], { folder })
  const files = JSON.parse(stdout).files.map(({ file }: { file: string }) => file)
  expect(files.toSorted()).toEqual(['deep/inner.yaml', 'good.yaml', 'misspelt.yml'])
  expect(stderr).toBe('')
  expect((await opsbook(['validate', '.'], { folder })).stderr).toContain('4 other YAML files left out')
})

test('the folder that serve loads: every YAML file there is a runbook, as for serve', async () => {
  const folder = await newFolder({ 'good.yaml': good, 'empty.yaml': '' })
  const runbooks = join(folder, 'runbooks')
  await mkdir(join(runbooks, 'folder.yaml'), { recursive: true })
  const utf16 = Buffer.from(`\ufeff${good}`, 'utf16le')
  const files = {
    'a.yaml': good.replace('name: good', 'name: a'),
    'broken.yaml': 'a: [\n',
    'comments.yaml': '# later\n',
    'empty.yaml': '',
    'opsbook.yaml': 'connections: {}\n',
    'other.yaml': 'services: {}\n',
    'utf16.yaml': utf16,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(runbooks, name), text)
  await symlink('nothing.yaml', join(runbooks, 'link.yaml'))
  const validated = await opsbook(['validate', '.', '-o', 'json'], { folder })
  expect(validated.code).toBe(2)
  const found: { file: string; diagnostics: { message: string }[] }[] = JSON.parse(validated.stdout).files
  const wrong = found.filter(({ diagnostics }) => diagnostics.length > 0).map(({ file }) => file)
  const names = ['broken', 'comments', 'empty', 'link', 'other', 'utf16']
  expect(wrong).toEqual(names.map((name) => `runbooks/${name}.yaml`))
  expect(found.find(({ file }) => file === 'runbooks/link.yaml')?.diagnostics).toMatchObject([
    { code: 'FILE_UNREADABLE', message: 'it is a link to a file that is not there' },
  ])
  const served = await opsbook(['serve', '--data-dir', join(folder, 'data')], { folder })
  expect(served.code).toBe(2)
  for (const name of names) expect(served.stderr).toContain(`runbooks/${name}.yaml`)
  expect(served.stderr).not.toMatch(/folder\.yaml|runbooks\/opsbook\.yaml|runbooks\/a\.yaml/)
})

test('a runbook is named as for run: by its path, or by its name', async () => {
  const folder = await newFolder({ 'other.yaml': good })
  await mkdir(join(folder, 'runbooks'))
  await writeFile(join(folder, 'runbooks/in_folder.yaml'), bad)
  const { stdout } = await opsbook(['validate', 'in-folder', 'other.yaml', '-o', 'json'], { folder })
  const files = JSON.parse(stdout).files.map(({ file }: { file: string }) => file)
  expect(files).toEqual(['runbooks/in_folder.yaml', 'other.yaml'])
  const unknown = await opsbook(['validate', 'other'], { folder })
  expect(unknown).toMatchObject({ code: 2, stdout: expect.stringContaining('other error FILE_NOT_FOUND') })
})

test.each([
  ['other', 'other.yaml'],
  ['othr.yaml', 'other.yaml'],
  ['in-foldr', 'in_folder'],
  ['weather', undefined],
])('where there is no %s, %s is suggested', async (named, meant) => {
  const folder = await newFolder({ 'other.yaml': good })
  await mkdir(join(folder, 'runbooks'))
  await writeFile(join(folder, 'runbooks/in_folder.yaml'), good)
  const { stdout } = await opsbook(['validate', named, '-o', 'json'], { folder })
  const [{ diagnostics }] = JSON.parse(stdout).files
  expect(diagnostics[0].hint).toBe(meant && `did you mean "${meant}"?`)
})

type Unusable = readonly [about: string, path: string, code: string]

const unusable: readonly Unusable[] = [
  ['a file that is missing', 'none.yaml', 'FILE_NOT_FOUND'],
  ['a path through a file', 'good.yaml/x', 'FILE_NOT_FOUND'],
  ['an empty file', 'empty.yaml', 'EMPTY_FILE'],
  ['a file that is too large', 'large.yaml', 'FILE_TOO_LARGE'],
  ['a folder without runbooks', 'nothing', 'FOLDER_WITHOUT_RUNBOOKS'],
]

test.each(unusable)('%s', async (_, path, code) => {
  const folder = await newFolder({
    'good.yaml': good,
    'empty.yaml': '',
    'large.yaml': '#'.repeat(300 * 1024),
  })
  await mkdir(join(folder, 'nothing'))
  const result = await opsbook(['validate', 'good.yaml', path, '-o', 'json'], { folder })
  expect(result.code).toBe(2)
  const { files } = JSON.parse(result.stdout)
  expect(files).toMatchObject([
    { diagnostics: [] },
    { file: path, diagnostics: [{ code, line: 1, column: 1 }] },
  ])
  const { stdout } = await opsbook(['validate', path], { folder })
  expect(stdout).toMatch(new RegExp(`^${path} error ${code}  \\S`))
  expect(stdout.split('\n')[1] ?? '').not.toMatch(/^\s+\d+ \|/)
  expect(stdout).toContain(`${code === 'FOLDER_WITHOUT_RUNBOOKS' ? '0 files' : '1 file'} checked: 1 error`)
})

test('a folder without runbooks: what to do', async () => {
  const { stdout } = await opsbook(['validate', '.'])
  expect(stdout).toContain(
    'hint: name the folder that holds runbooks, or write a first one with "opsbook init"',
  )
})

test.each([
  ['a binary file', Buffer.from([0x61, 0, 0x62]), ':1:2'],
  ['a file in another encoding', Buffer.from('name: gr\u00fc\u00df', 'latin1'), ':1:9'],
])('%s: the first character that is none', async (_, bytes, place) => {
  const folder = await newFolder({})
  await writeFile(join(folder, 'odd.yaml'), bytes)
  const { code, stdout } = await opsbook(['validate', 'odd.yaml'], { folder })
  expect(code).toBe(2)
  expect(stdout).toMatch(new RegExp(`^odd\\.yaml${place} error NOT_TEXT  \\S`))
})

test('a byte order mark is no mistake', async () => {
  const folder = await newFolder({ 'mark.yaml': `\ufeff${good}` })
  expect(await opsbook(['validate', 'mark.yaml'], { folder })).toMatchObject({ code: 0 })
})

test('what a file holds cannot steer the terminal', async () => {
  const folder = await newFolder({
    'evil.yaml': `${bad}x: "\u001b[2J\u009b2J\u202e"\n"\u001b]0;title\u0007": 1\n`,
  })
  const { stdout } = await opsbook(['validate', 'evil.yaml'], { folder })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
})

test('the runbooks that ship are sound', async () => {
  const folder = fileURLToPath(new URL('../..', import.meta.url))
  expect(await opsbook(['validate', 'runbooks'], { folder })).toMatchObject({ code: 0 })
})

test('stdin under the name of a file', async () => {
  const words = ['validate', '-', '--stdin-name', 'checks/bad.yaml']
  expect((await opsbook(words, { stdin: bad })).stdout).toContain('checks/bad.yaml:5:11 error')
})

test('two runbooks of one name in a folder: serve would refuse them', async () => {
  const folder = await newFolder({ 'a.yaml': good, 'b.yaml': good, 'other/c.yaml': good })
  const { code, stdout } = await opsbook(['validate', '.'], { folder })
  expect(code).toBe(2)
  expect(stdout).toContain('b.yaml:2:1 error SAME_NAME  a.yaml is called good, too')
  expect(stdout).toContain('3 files checked: 1 error')
})

test('a file that is named twice, or lies in a folder that is named, is checked once', async () => {
  const folder = await newFolder({ 'good.yaml': good })
  const { code, stdout } = await opsbook(['validate', 'good.yaml', './good.yaml', '.'], { folder })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1 file checked: no findings\n' })
})

test('links: files behind them are checked, folders are not entered again, one to nothing is told', async () => {
  const folder = await newFolder({ 'good.yaml': good })
  await symlink('.', join(folder, 'loop'))
  await symlink('.', join(folder, 'loop.yaml'))
  await symlink('self.yaml', join(folder, 'self.yaml'))
  await symlink('good.yaml', join(folder, 'link.yaml'))
  const { code, stdout } = await opsbook(['validate', '.', '-o', 'json'], { folder })
  expect(code).toBe(2)
  expect(JSON.parse(stdout).files).toMatchObject([
    { file: 'good.yaml', diagnostics: [] },
    { file: 'link.yaml', diagnostics: [{ code: 'SAME_NAME' }] },
    { file: 'self.yaml', diagnostics: [{ code: 'FILE_UNREADABLE' }] },
  ])
})

const doubtful = good.replace(
  'target_locator: web-01 }',
  'target_locator: web-01 }\n    retry: { attempts: 2, errors: [Overloded] }',
)

test.each([
  [[], 0],
  [['--max-warnings', '1'], 0],
  [['--max-warnings', '0'], 2],
] as const)('one warning and %j: exit code %i', async (flags, expected) => {
  const folder = await newFolder({ 'doubtful.yaml': doubtful })
  const { code, stdout, stderr } = await opsbook(['validate', 'doubtful.yaml', ...flags], { folder })
  expect(code).toBe(expected)
  expect(stdout).toContain('1 file checked: 1 warning')
  expect(stderr).toBe(expected === 0 ? '' : '1 warning, and --max-warnings allows 0\n')
})

test.each(['-1', 'many', '1.5', ''])('--max-warnings %j is refused', async (number) => {
  expect(await opsbook(['validate', '.', '--max-warnings', number])).toMatchObject({ code: 2, stdout: '' })
})

test('2,000 files come in the order of their names, whatever was read first', async () => {
  const folder = await newFolder()
  const names = Array.from({ length: 2000 }, (_, index) => `n${String(index).padStart(4, '0')}.yaml`)
  const isBad = (index: number): boolean => index % 100 === 3
  for (const [index, name] of names.entries()) {
    const text = (isBad(index) ? bad : good).replace('name: good', `name: good_${index}`)
    writeFileSync(join(folder, name), text)
  }
  const lengths: number[] = []
  const onWrite = (text: string): unknown => lengths.push(text.length)
  const { code, stdout } = await opsbook(['validate', '.'], { folder, onWrite })
  expect(code).toBe(2)
  const places = [...stdout.matchAll(/^(n\d+\.yaml):5:11 error/gm)].map(([, name]) => name)
  expect(places).toEqual(names.filter((_, index) => isBad(index)))
  expect(stdout).toMatch(/^2000 files checked: 20 errors\n$/m)
  // A finding is told when it is found, and not kept until the end.
  expect(Math.max(...lengths)).toBeLessThan(1000)
})

test('a finding about a runbook that another one runs names that file', async () => {
  const parent = good
    .replace('monit/tools/catalog', 'core/run')
    .replace('target_locator: web-01', 'runbook: ./bad.yaml')
  const folder = await newFolder({ 'parent.yaml': parent, 'bad.yaml': bad })
  const words = ['validate', './parent.yaml']
  expect((await opsbook(words, { folder })).stdout).toMatch(
    /^(\.\/)?bad\.yaml:5:11 error UNKNOWN_ACTION .*\n {2}5 \| /m,
  )
  const { stdout } = await opsbook([...words, '-o', 'json'], { folder })
  expect(JSON.parse(stdout).files).toMatchObject([
    { file: './parent.yaml', diagnostics: [{ file: expect.stringMatching(/bad\.yaml$/), line: 5 }] },
  ])
  const own = await opsbook(['validate', './bad.yaml', '-o', 'json'], { folder })
  expect(JSON.parse(own.stdout).files[0].diagnostics[0]).not.toHaveProperty('file')
})

test('a finding of a child runbook is told once, whichever files are named', async () => {
  const child = good.replace('good', 'child').replace('monit/tools/catalog', 'monit/tools/catalgo')
  const parent = good.replace(/- id[\s\S]*/, '- { id: a, uses: core/run, with: { runbook: child.yaml } }\n')
  const folder = await newFolder({
    'a.yaml': parent,
    'child.yaml': child,
    'z.yaml': parent.replace('good', 'z'),
  })
  for (const files of [['a.yaml', 'child.yaml', 'z.yaml'], ['child.yaml', './a.yaml'], ['.']]) {
    const { code, stdout } = await opsbook(['validate', ...files], { folder })
    expect([code, stdout.match(/UNKNOWN_ACTION/g)?.length]).toEqual([2, 1])
    expect(stdout).toMatch(/files checked: 1 error\n$/)
  }
})
