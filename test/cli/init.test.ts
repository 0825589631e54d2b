import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFolder } from '../load/editor-schema/language-server.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

const files = [
  '.env.example',
  '.gitignore',
  '.vscode/settings.json',
  'opsbook.schema.json',
  'opsbook.yaml',
  'runbook.schema.json',
  'runbooks/hello.test.yaml',
  'runbooks/hello.yaml',
  'tests.schema.json',
]

/** Every file under a folder with its text. */
function texts(folder: string): Readonly<Record<string, string>> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = found.map((entry) => join(entry.parentPath, entry.name)).toSorted()
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]))
}

test('sets an empty folder up, and says what to do next', async () => {
  const folder = await newFolder()
  const { code, stdout, stderr } = await opsbook(['init'], { folder })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(Object.keys(texts(folder)).toSorted()).toEqual(files)
  expect(stdout.match(/^ {2}written/gm)).toHaveLength(files.length)
  const next = stdout
    .slice(stdout.indexOf('Next\n') + 5)
    .trimEnd()
    .split('\n')
  expect(next).toEqual([
    '  opsbook validate runbooks',
    '  opsbook test',
    '  opsbook plan hello',
    '  opsbook run hello --sandbox',
  ])
  expect(texts(folder)['.gitignore']).toBe('.env\n.opsbook/\n')
})

test('the next commands work as they stand, without any warning', async () => {
  const folder = await newFolder()
  const { stdout } = await opsbook(['init'], { folder })
  const commands = stdout
    .slice(stdout.indexOf('Next\n') + 5)
    .trimEnd()
    .split('\n')
  for (const command of commands) {
    const { code, stderr } = await opsbook(command.trim().split(' ').slice(1), { folder })
    expect({ command, code }).toEqual({ command, code: 0 })
    expect(stderr).not.toMatch(/warning|error/)
  }
  const report = Object.entries(texts(folder)).find(([path]) => path.endsWith('report.md'))
  expect(report?.[0]).toMatch(/^\.opsbook\/runs\//)
  expect(report?.[1]).toContain('- os.overview: ')
})

test('the schema is the one that "opsbook schema" prints, and the editor finds it', async () => {
  const folder = await newFolder()
  await opsbook(['init'], { folder })
  const made = texts(folder)
  expect((await opsbook(['schema'], { folder })).stdout).toBe(made['runbook.schema.json'])
  const settings = JSON.parse(made['.vscode/settings.json'] ?? '')
  expect(settings['yaml.schemas']).toEqual({
    './runbook.schema.json': ['runbooks/**/*.yaml', '!runbooks/**/*.test.yaml'],
    './tests.schema.json': ['runbooks/**/*.test.yaml'],
    './opsbook.schema.json': ['opsbook.yaml'],
  })
  const ofConfiguration = await opsbook(['schema', '--configuration'], { folder })
  expect(ofConfiguration.stdout).toBe(made['opsbook.schema.json'])
  expect(made['opsbook.yaml']?.split('\n')[0]).toBe('# yaml-language-server: $schema=./opsbook.schema.json')
  expect(made['runbooks/hello.yaml']?.split('\n')[0]).toBe(
    '# yaml-language-server: $schema=../runbook.schema.json',
  )
})

describe('the real language server, in the folder that was set up', () => {
  const firstLine = '# yaml-language-server: $schema=../runbook.schema.json\n'
  const wrong = 'apiVersion: opsbook/v1\nname: a\nsteps: [{ id: x, uses: core/lok }]\n'
  const cases: readonly (readonly [about: string, hasSettings: boolean, text: string])[] = [
    ['finds the schema by the settings', true, wrong],
    ['finds it by the first line of a runbook', false, firstLine + wrong],
  ]

  test.each(cases)('%s', async (_, hasSettings, text) => {
    const folder = await newFolder()
    await opsbook(['init'], { folder })
    const settings = JSON.parse(texts(folder)['.vscode/settings.json'] ?? '')
    const server = await openFolder(folder, hasSettings ? settings['yaml.schemas'] : {})
    onTestFinished(() => server.close())
    expect(await server.findings(text)).toMatchObject([{ message: expect.stringContaining('"core/log"') }])
    expect(await server.findings(texts(folder)['runbooks/hello.yaml'] ?? '')).toEqual([])
  })

  test('knows the configuration, too', async () => {
    const folder = await newFolder()
    await opsbook(['init'], { folder })
    const made = texts(folder)
    const settings = JSON.parse(made['.vscode/settings.json'] ?? '')
    const server = await openFolder(folder, settings['yaml.schemas'])
    onTestFinished(() => server.close())
    const file = 'opsbook.yaml'
    const text = (made[file] ?? '').replace(/^# yaml-language-server.*\n/, '')
    expect(await server.findings(text, file)).toEqual([])
    // What the comments offer is sound as well.
    const evaluated = text.replaceAll(/^# (?= *[a-z_-]+: ?\S*($| |\[))/gm, '')
    expect(evaluated).toContain('\nconnections:\n')
    expect(await server.findings(evaluated, file)).toEqual([])
    expect(await server.findings('conections: {}\n', file)).toHaveLength(1)
    expect(await server.findings('secrets: { a: s3cret }\n', file)).toMatchObject([
      { message: 'Expected env:NAME or file:PATH' },
    ])
    const keys = (await server.completions('connections:\n  a:\n    |\n', file)).map(({ label }) => label)
    expect(keys).toEqual(expect.arrayContaining(['base-url', 'app-key', 'account', 'accept-language']))
    expect(await server.hover('data-|dir: x\n', file)).toContain('The folder for journals and artifacts.')
  })
})

test('a folder of another name is made, and entered first', async () => {
  const folder = await newFolder()
  const { code, stdout } = await opsbook(['init', 'ops/runbooks'], { folder })
  expect(code).toBe(0)
  expect(stdout).toContain('Next\n  cd ops/runbooks\n  opsbook validate runbooks\n')
  expect(Object.keys(texts(join(folder, 'ops/runbooks'))).toSorted()).toEqual(files)
})

test('nothing that is there is changed, and it says what it left alone', async () => {
  const folder = await newFolder({
    'opsbook.yaml': 'data-dir: elsewhere\n',
    '.gitignore': 'node_modules/\n.env',
  })
  mkdirSync(join(folder, '.vscode'))
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "editor.tabSize": 2 } // mine\n')
  const { code, stdout, stderr } = await opsbook(['init'], { folder })
  expect(code).toBe(0)
  const first = texts(folder)
  expect(first['opsbook.yaml']).toBe('data-dir: elsewhere\n')
  expect(first['.vscode/settings.json']).toBe('{ "editor.tabSize": 2 } // mine\n')
  expect(first['.gitignore']).toBe('node_modules/\n.env\n.opsbook/\n')
  expect(stdout).toMatch(/left unchanged {2}opsbook\.yaml/)
  expect(stdout).toMatch(/added to {8}\.gitignore/)
  expect(stderr).toMatch(
    /"yaml.schemas": \{\n +"\.\/runbook\.schema\.json": \["runbooks\/\*\*\/\*\.yaml", "!runbooks\//,
  )

  const again = await opsbook(['init'], { folder })
  expect(again.code).toBe(0)
  expect(texts(folder)).toEqual(first)
  expect(again.stdout.match(/^ {2}left unchanged/gm)).toHaveLength(files.length)
  expect(again.stderr).toContain('  opsbook schema --file runbook.schema.json\n')
  expect(again.stderr).toContain('  opsbook schema --configuration --file opsbook.schema.json\n')
})

type Obstacle = readonly [about: string, place: (folder: string) => void, said: string]

const obstacles: readonly Obstacle[] = [
  [
    'a file in the way of the folder',
    (folder) => writeFileSync(join(folder, 'new'), ''),
    'cannot be written',
  ],
  [
    'a file in the way of a folder in it',
    (folder) => {
      mkdirSync(join(folder, 'new'))
      writeFileSync(join(folder, 'new/runbooks'), '')
    },
    'runbooks/hello.yaml cannot be written',
  ],
  [
    'a folder in the way of a file',
    (folder) => mkdirSync(join(folder, 'new/opsbook.yaml'), { recursive: true }),
    'opsbook.yaml cannot be written',
  ],
]

test.each(obstacles)('%s is told, not a defect', async (_, place, said) => {
  const folder = await newFolder()
  place(folder)
  const { code, stdout, stderr } = await opsbook(['init', 'new'], { folder })
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
  expect(stderr).toContain(said)
  expect(stderr).not.toContain('unexpected')
})

test.skipIf(process.getuid?.() === 0)('a folder that may not be written to', async () => {
  const folder = await newFolder()
  chmodSync(folder, 0o500)
  const { code, stderr } = await opsbook(['init'], { folder })
  chmodSync(folder, 0o700)
  expect(code).toBe(5)
  expect(stderr).toContain('no permission to write there')
})
