import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const runbook = `apiVersion: opsbook/v1
name: tell
inputs: { type: object, properties: { url: { type: string, default: "http://127.0.0.1:1/" } } }
steps:
  - { id: tell, uses: core/http, with: { method: POST, url: "\${{ inputs.url }}", body: { text: "a<b & c" } } }
`
const good = `runbook: ./tell.yaml
tests:
  - name: tells
    calls: { tell: { output: {} } }
    expect: { status: succeeded, calls: [tell] }
`
const bad = `${good}  - { name: "a<b & \\"c\\"", expect: { status: failed } }\n  - { name: two, expect: { never: [tel] } }\n`

describe('opsbook test', () => {
  it('passes with 0, fails with 1, and with 2 where a file is wrong', async () => {
    const folder = await newFolder({ 'tell.yaml': runbook, 'tell.test.yaml': good })
    const passed = await opsbook(['test'], { folder })
    expect(passed).toMatchObject({
      code: 0,
      stdout: 'tell.test.yaml\n  ✔ tells\n\n1 test: 1 passed\n',
      stderr: '',
    })
    expect(await opsbook(['test', 'tell.yaml', '--only', 'nothing'], { folder })).toMatchObject({ code: 2 })
    const other = await newFolder({ 'tell.yaml': runbook, 'tell.test.yaml': bad })
    const wrong = await opsbook(['test', '.'], { folder: other })
    expect(wrong.code).toBe(2)
    expect(wrong.stdout).toContain(
      'UNKNOWN_STEP  the runbook has no step "tel"'.replace('step', 'step or action'),
    )
    expect(wrong.stdout).toContain('hint: did you mean "tell"?')
    const missing = await opsbook(['test', 'tel.test.yaml'], { folder })
    expect(missing).toMatchObject({
      code: 2,
      stderr: 'error: there is no file tel.test.yaml\n  did you mean "tell.test.yaml"?\n',
    })
    const empty = await opsbook(['test'], { folder: await newFolder({ 'tell.yaml': runbook }) })
    expect(empty).toMatchObject({ code: 2 })
    expect(empty.stderr).toContain('there is no test file here')
  })

  it('prints virtual time as other commands print times', async () => {
    const ask = runbook.replace(/uses: .*/, 'uses: core/approve, with: { message: m } }')
    const asked = good
      .replace('tell: { output: {} }', '')
      .replace('calls: [tell]', '')
      .replace('tests:', 'defaults: { answers: { tell: { after: 3601s } } }\ntests:')
    const folder = await newFolder({ 'tell.yaml': ask, 'tell.test.yaml': asked })
    expect((await opsbook(['test'], { folder })).stdout).toContain('✔ tells  1h 00m\n')
  })

  it('finds the tests of a runbook by its name', async () => {
    const folder = await newFolder({})
    await mkdir(join(folder, 'runbooks'))
    await writeFile(join(folder, 'runbooks/tell.yaml'), runbook)
    await writeFile(join(folder, 'runbooks/tell.test.yaml'), good)
    const passed = await opsbook(['test', 'tell'], { folder })
    expect(passed).toMatchObject({ code: 0, stdout: expect.stringContaining('runbooks/tell.test.yaml') })
    const misspelt = await opsbook(['test', 'tel'], { folder })
    expect(misspelt).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "tell"?') })
  })

  it('says where faults find nothing to try', async () => {
    const reads = runbook.replace(/uses: .*/, 'uses: monit/tools/catalog, with: { target_locator: web-01 } }')
    const scripted = good
      .replace('tests:', 'faults: each\ntests:')
      .replace('output: {}', 'output: { tools: [] }')
    const folder = await newFolder({ 'tell.yaml': reads, 'tell.test.yaml': scripted })
    const { stdout } = await opsbook(['test'], { folder })
    expect(stdout).toContain('✔ tells\n  - faults: none to try, since no run that succeeds sends a write')
  })

  it('opens no connection: a call without a script fails its test', async () => {
    let connections = 0
    const server = createServer(() => connections++)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as { readonly port: number }
    const text = `runbook: tell.yaml\ntests: [{ name: one, inputs: { url: "http://127.0.0.1:${port}/" }, expect: {} }]\n`
    const folder = await newFolder({ 'tell.yaml': runbook, 'tell.test.yaml': text })
    const { code, stdout } = await opsbook(['test'], { folder })
    server.close()
    expect(code).toBe(1)
    expect(stdout).toContain('UnscriptedCall: tell#1 (core/http) was sent {"method":"POST"')
    expect(stdout).toContain('hint: calls: { tell: { output: { … } } }')
    expect(connections).toBe(0)
  })

  it('writes JUnit, annotations and JSON', async () => {
    const failing = bad.replace('never: [tel]', 'never: [tell]')
    const folder = await newFolder({ 'tell.yaml': runbook, 'tell.test.yaml': failing })
    const junit = await opsbook(['test', '--output', 'junit'], { folder })
    expect(junit.code).toBe(1)
    expect(junit.stdout).toContain(
      '<testsuite name="tell.test.yaml" tests="3" failures="2" errors="0" time="0">',
    )
    expect(junit.stdout).toContain('<testcase name="a&lt;b &amp; &quot;c&quot;"')
    const github = await opsbook(['test', '--output', 'github'], { folder })
    expect(github.stdout).toContain(
      '::error file=tell.test.yaml,line=6,col=13,title=a<b & "c"::UnscriptedCall',
    )
    const json = JSON.parse((await opsbook(['test', '--output', 'json'], { folder })).stdout)
    expect(json.files[0]).toMatchObject({ tests: [{ status: 'passed' }, { status: 'failed' }, {}] })
    expect(json.files[0].coverage).toMatchObject({ percent: 100 })
  })

  it('fails below a coverage, and with --strict for a script that no call uses', async () => {
    const more = `${runbook}  - { id: more, if: "\${{ inputs.url == 'x' }}", uses: core/log, with: { message: x } }\n`
    const unused = good.replace('tests:', 'defaults: { calls: { core/http: { output: {} } } }\ntests:')
    const folder = await newFolder({ 'tell.yaml': more, 'tell.test.yaml': unused })
    const low = await opsbook(['test', '--min-coverage', '80'], { folder })
    expect(low).toMatchObject({ code: 1, stderr: 'tell.test.yaml: the coverage is below 80 %\n' })
    expect(low.stdout).toContain(
      'coverage: 50 % (2 of 4)\n    line 6  step more never runs\n    line 6  if of more is never true',
    )
    expect(low.stdout).toContain('warning no call uses the script "core/http"  tell.test.yaml:2:22')
    expect((await opsbook(['test'], { folder })).code).toBe(0)
    expect((await opsbook(['test', '--strict'], { folder })).code).toBe(1)
  })

  it('leaves test files out where runbooks are meant', async () => {
    const folder = await newFolder({ 'tell.yaml': runbook, 'tell.test.yaml': good })
    expect(await opsbook(['validate', '.'], { folder })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 file checked: 1 warning\n'),
    })
  })

  it('runs the first test of the guide', async () => {
    const page = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
    const firstYaml = (text: string): string => text.split('```yaml\n')[1]?.split('```')[0] ?? ''
    const look = firstYaml(page('README.md')).replace('steps.check.', 'steps.checks.')
    const folder = await newFolder({
      'look.yaml': look,
      'look.test.yaml': firstYaml(page('docs/testing-runbooks.md')),
    })
    expect(await opsbook(['test', 'look.test.yaml'], { folder })).toMatchObject({
      code: 0,
      stdout: 'look.test.yaml\n  ✔ one host may fail\n\n1 test: 1 passed\n',
    })
    const shown = (command: string): string =>
      page('docs/testing-runbooks.md').split(`$ opsbook ${command}\n`)[1]?.split('```')[0] ?? ''
    const played = async (command: string): Promise<string> => {
      const { stdout, stderr } = await opsbook(command.split(' '), { folder })
      return (stderr + stdout).replace(/(?<=fail {2})\d+\.\ds/, '0.2s')
    }
    const sandbox = 'test look.test.yaml --against sandbox'
    expect(await played(sandbox)).toBe(shown(sandbox))
    const hosts = 'hosts=[web-01, disk-01, down-01, web-02]'
    for (const given of ['hosts=[web-01, disk-01]', hosts]) {
      const words = ['run', 'look.yaml', '--sandbox', '-i', given, '--data-dir', 'data']
      const run = await opsbook(words, { folder })
      expect(run, run.stderr).toMatchObject({ code: 0 })
    }
    const record = 'test record latest --as disk-full --rename hosts'
    const recorded = await played(`${record} --data-dir data`)
    const withoutRun = (text: string): string =>
      text.replaceAll(/run_\w+/g, 'RUN').replace(/since \d{4}-\d\d-\d\d [\d:]+Z/, 'since THEN')
    expect(withoutRun(recorded)).toBe(withoutRun(shown(record)))
    const file = join(folder, 'look.test.yaml')
    await writeFile(file, (await readFile(file, 'utf8')).replace('succeeded', 'failed'))
    const update = 'test look.test.yaml --update'
    expect(shown(update)).not.toBe('')
    expect(await played(update)).toContain(shown(update))
    await writeFile(join(folder, 'look.yaml'), look.replace('tolerate: all', 'tolerate: 1'))
    const rehearse = 'rehearse look.yaml --since 30d'
    expect(shown(rehearse)).not.toBe('')
    expect(withoutRun(await played(`${rehearse} --data-dir data`))).toBe(withoutRun(shown(rehearse)))
  })

  it('prints the schema of test files', async () => {
    const folder = await newFolder({})
    await opsbook(['schema', '--tests', '--file', 'tests.schema.json'], { folder })
    const schema = JSON.parse(await readFile(join(folder, 'tests.schema.json'), 'utf8'))
    expect(schema).toMatchObject({ required: ['runbook', 'tests'], title: 'Opsbook tests of a runbook' })
  })
})

describe('opsbook test record', () => {
  const recorded = async (folder: string, ...words: readonly string[]) =>
    opsbook(['test', 'record', 'latest', '--data-dir', 'data', ...words], { folder })

  /** A folder with one run of `tell.yaml` that a server has answered. */
  const ranOnce = async (steps = runbook): Promise<string> => {
    const server = createHttpServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'c00kie_of_ada' })
      response.end('{"said":"c00kie_of_ada","id":7}')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { readonly port: number }
    const folder = await newFolder({ 'tell.yaml': steps })
    const run = await opsbook(
      [
        'run',
        'tell.yaml',
        '--sandbox',
        '--allow-outside',
        '--data-dir',
        'data',
        '-i',
        `url=http://127.0.0.1:${port}/`,
      ],
      { folder },
    )
    expect(run, run.stderr).toMatchObject({ code: 0 })
    return folder
  }

  it('records a run that a test then plays', async () => {
    const folder = await ranOnce()
    expect(await recorded(folder, '--as', 'told', '--rename', 'url')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^recordings\/told\.json: 1 call of run_\S+\ncalls:\n {2}core\/http: \{ recording: told \}\n$/,
      ),
    })
    const json = await recorded(folder, '--as', 'told', '--rename', 'url', '--replace', '--output', 'json')
    expect(JSON.parse(json.stdout)).toEqual({
      recording: 'recordings/told.json',
      run_id: expect.stringMatching(/^run_/),
      calls: 1,
      scripts: { 'core/http': { recording: 'told' } },
    })
    const junit = await recorded(folder, '--as', 'told', '--replace', '--output', 'junit')
    expect(junit).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('prints text or json, and no junit'),
    })
    const text = await readFile(join(folder, 'recordings/told.json'), 'utf8')
    expect(text).toContain('"said": "sensitive-1"')
    expect(text).not.toMatch(/127\.0\.0\.1|c00kie/)
    const file = `runbook: tell.yaml
defaults: { calls: { core/http: { recording: told } } }
tests: [{ name: one, inputs: { url: "https://url-1.test/" }, expect: { status: succeeded, calls: [tell] } }]
`
    await writeFile(join(folder, 'tell.test.yaml'), file)
    const strict = await opsbook(['test', '--strict'], { folder })
    expect(strict, strict.stdout).toMatchObject({ code: 0, stderr: '' })
    await writeFile(join(folder, 'tell.test.yaml'), file.replace('url-1', 'url-2'))
    const other = await opsbook(['test'], { folder })
    expect(other.code).toBe(1)
    expect(other.stdout).toContain(
      'hint: the nearest call is tell#1: url is "https://url-2.test/", recorded "https://url-1.test/"',
    )
  })

  it('writes over an earlier recording only where it is asked to', async () => {
    const folder = await ranOnce()
    const path = join(folder, 'recordings/told.json')
    expect(await recorded(folder, '--as', 'told')).toMatchObject({ code: 0 })
    await writeFile(path, 'earlier')
    expect(await recorded(folder, '--as', 'told')).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'error: there is a recording recordings/told.json already\n  write over it with --replace, or name another one with --as\n',
    })
    expect(await readFile(path, 'utf8')).toBe('earlier')
    expect(await recorded(folder, '--as', 'told', '--replace')).toMatchObject({ code: 0 })
    expect(await readFile(path, 'utf8')).toContain('"calls"')
  })

  it('writes nothing where a value that is to be removed would stay', async () => {
    const folder = await ranOnce(runbook.replace('id: tell', 'id: c00kie_of_ada'))
    const { code, stderr } = await recorded(folder, '--as', 'told')
    expect(code).toBe(1)
    expect(stderr).toContain('nothing was written: a value that was to be removed is still in a key in steps')
    expect(stderr).not.toContain('c00kie')
    await expect(readFile(join(folder, 'recordings/told.json'))).rejects.toThrow('ENOENT')
  })

  it.each([
    [['--as', '../told'], 'cannot be the name of a recording'],
    [
      ['--as', 'told', '--rename', 'ulr'],
      'no input or output of the run has a field "ulr"\n  did you mean --rename url?',
    ],
    [[], "required option '--as <name>' not specified"],
  ])('refuses %j', async (words, message) => {
    const folder = await ranOnce()
    const { code, stderr } = await recorded(folder, ...words)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
