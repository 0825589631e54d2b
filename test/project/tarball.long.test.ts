import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ended, mustRun, mustRunNpm, packOpsbook, quiet, root, runAlone } from '../support/packed.ts'

const folder = mkdtempSync(join(tmpdir(), 'opsbook-tarball-'))
const project = join(folder, 'project')
const page = readFileSync(join(root, 'docs/custom-actions.md'), 'utf8')
const [, example = ''] = page.match(/^```ts\n(.*?)^```$/ms) ?? []
const fileOfGuide = (name: string): string =>
  page.match(new RegExp(`\`${name}\`[^\\n]*:\\n\\n\`\`\`\\w+\\n(.*?)^\`\`\`$`, 'ms'))?.[1] ?? ''

const inProject = (program: string, words: readonly string[], cwd = project): Ended =>
  runAlone(program, words, cwd)
const must = (program: string, words: readonly string[], cwd = project): string =>
  mustRun(program, words, cwd)

let tarball = ''
beforeAll(() => {
  tarball = packOpsbook(folder)
}, 240_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }), 240_000)

describe('a project that installs the packed library', () => {
  beforeAll(() => {
    mkdirSync(project)
    const settings = {
      target: 'es2022',
      module: 'node16',
      types: ['node'],
      strict: true,
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      outDir: 'built',
    }
    const files = {
      'package.json': JSON.stringify({ name: 'a-project', private: true, type: 'module' }),
      'tsconfig.json': JSON.stringify({ compilerOptions: settings, files: ['example.ts'] }),
      'example.ts': example,
      ...Object.fromEntries(
        ['actions.mjs', 'opsbook.yaml', 'disk-full.yaml'].map((name) => [name, fileOfGuide(name)]),
      ),
      'look.yaml': `apiVersion: opsbook/v1
name: look
steps:
  - id: catalog
    uses: monit/tools/catalog
    with: { target_locator: web-01 }
`,
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
    mustRunNpm(['install', tarball, ...quiet], project)
    // The compiler and the types of Node are those of this checkout: they are no part of what is tried here.
    mkdirSync(join(project, 'node_modules/@types'), { recursive: true })
    // A dependency may have brought it along.
    const types = join(project, 'node_modules/@types/node')
    if (!existsSync(types)) symlinkSync(join(root, 'node_modules/@types/node'), types)
  }, 300_000)

  it('holds what it needs and nothing that it does not', () => {
    const installed = join(project, 'node_modules/opsbook')
    const needed = ['dist/index.d.ts', 'docs/custom-actions.md', 'runbooks', 'LICENSE', 'README.md']
    // Without it each worker would bundle the code of the workflows from sources that are not there.
    const workers = ['dist/workflows.js', 'dist/temporal/index.js', 'workers/both.mjs']
    for (const name of [...needed, ...workers]) {
      expect(existsSync(join(installed, name)), name).toBe(true)
    }
    for (const name of ['src', 'test', 'bench', 'dist/index.js.map', 'dist/.tsbuildinfo']) {
      expect(existsSync(join(installed, name)), name).toBe(false)
    }
  })

  it('compiles the guide against all doors under strict, their declarations included, and runs it', () => {
    for (const door of ['opsbook', 'opsbook/api', 'opsbook/sandbox'])
      expect(example).toContain(`from '${door}'`)
    const tsc = inProject(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'])
    expect(tsc).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(inProject(process.execPath, ['built/example.js'])).toMatchObject({
      code: 0,
      stdout: 'succeeded { answer: 42 }\n',
    })
  }, 120_000)

  it('refuses arguments and schemas that do not fit the named type', () => {
    const broken = example
      .replace('number * 2', 'nummer * 2')
      .replace("required: ['number']", "required: ['nummer']")
    writeFileSync(join(project, 'example.ts'), broken)
    const { code, stdout } = inProject(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      '.',
      '--noEmit',
    ])
    writeFileSync(join(project, 'example.ts'), example)
    expect(code).not.toBe(0)
    expect(stdout).toMatch(/TS\d+: Type '"nummer"'/)
    expect(stdout).toMatch(/Cannot find name 'nummer'/)
  }, 120_000)

  it('brings the command', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(must('npx', ['--no-install', 'opsbook', '--version'])).toBe(`${version}\n`)
    expect(must('npx', ['--no-install', 'opsbook', 'validate', '.', '--with-actions'])).toBe(
      '2 files checked: no findings\n',
    )
    expect(must('npx', ['--no-install', 'opsbook', 'actions'])).toMatch(
      /^acme\/ticket\/open +create +Open a ticket$/m,
    )
    const words = ['opsbook', 'run', 'look.yaml', '--sandbox', '--data-dir', 'data', '--output', 'json']
    expect(JSON.parse(must('npx', ['--no-install', ...words]))).toMatchObject({ status: 'succeeded' })
  }, 120_000)
})

describe('without the packages of Temporal', () => {
  const prefix = join(folder, 'prefix')
  const opsbook = join(prefix, 'bin/opsbook')
  const onTemporal = ['run', 'look.yaml', '--engine', 'temporal']
  const hint =
    /next +Install them where Opsbook is installed: "(npm install (?:@temporalio\/\w+@1\.24\.x ?){5})"/
  const doorNames = ['-e', "console.log(Object.keys(await import('opsbook/temporal')).sort().join(' '))"]
  const importDoor = ['--input-type=module', ...doorNames]

  beforeAll(() => {
    mustRunNpm(['install', '--global', '--prefix', prefix, tarball, ...quiet], project)
  }, 120_000)

  it('is installed into an empty prefix without them, and its link is the command', () => {
    expect(existsSync(join(prefix, 'lib/node_modules/opsbook/node_modules/@temporalio'))).toBe(false)
    expect(must(opsbook, ['--version'])).toMatch(/^\d+\.\d+\.\d+\n$/)
    const link = join(folder, 'a-link')
    symlinkSync(opsbook, link)
    expect(must(link, ['--version'])).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it.each([
    [['run', 'look.yaml', '--sandbox']],
    [['runs']],
    [['show', 'latest']],
    [['logs', 'latest']],
    [['watch', 'latest']],
    [['schedules']],
    [['events']],
    [['triggers']],
    [['prune', '--dry-run']],
  ])('opsbook %j works on one machine', (words) => {
    expect(inProject(opsbook, [...words, '--data-dir', 'alone'])).toMatchObject({ code: 0 })
  })

  it.each([
    [onTemporal],
    [['worker']],
    [['dev']],
    [['replay-check']],
    [['temporal', 'setup']],
    [['runs', '--engine', 'temporal']],
    [['start', 'look.yaml', '--engine', 'temporal']],
    [['serve', '--engine', 'temporal']],
    [['schedules', '--engine', 'temporal']],
  ])('opsbook %j names the command that installs them', (words) => {
    const { code, stderr } = inProject(opsbook, words)
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringMatching(hint) })
    expect(stderr).toContain('error: TemporalNotInstalled: ')
  })

  it('doctor names it as well, besides all else', () => {
    const { stdout } = inProject(opsbook, ['doctor', '--engine', 'temporal', '--sandbox'])
    expect(stdout).toMatch(
      /fail +temporal +TemporalNotInstalled: .*\n +→ Install them .*npm install @temporalio/,
    )
  })

  it('the door of the library rejects with the same, and opens once they are installed', () => {
    const { code, stderr } = inProject(process.execPath, importDoor)
    expect(code).toBe(1)
    expect(stderr).toMatch(/TemporalNotInstalled/)
    const shown = hint.exec(inProject('npx', ['--no-install', 'opsbook', ...onTemporal]).stderr)?.[1] ?? ''
    mustRunNpm([...shown.split(' ').slice(1), ...quiet], project)
    const names = must(process.execPath, importDoor).trim().split(' ')
    expect(names).toEqual(
      expect.arrayContaining(['connectClient', 'followRun', 'openTemporalEngine', 'startWorker']),
    )
    const unanswered = [
      '-e',
      "await (await import('opsbook/temporal')).connectClient({ address: '127.0.0.1:9' })",
    ]
    expect(inProject(process.execPath, ['--input-type=module', ...unanswered]).stderr).toMatch(
      /TemporalUnavailable/,
    )
  }, 240_000)
})
