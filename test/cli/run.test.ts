import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type CommandResult, newFolder, opsbook, type Surroundings } from './support/opsbook.ts'
import { type Service, startService } from './support/service.ts'

const head = 'apiVersion: opsbook/v1\nname: test\n'
const create = `
  - id: application
    name: Create the application
    uses: rum/application/create
    with: { application_name: shop, type: browser, team_id: 1 }`
const look = `
  - id: catalog
    uses: monit/tools/catalog
    with: { target_locator: web-01 }`
const token = 'outputs: { token: "${{ steps.application.outputs.client_token }}" }'

/** Runs a runbook of these steps. */
async function run(
  steps: string,
  words: readonly string[] = [],
  surroundings: Surroundings = {},
  more = '',
): Promise<CommandResult> {
  const folder = surroundings.folder ?? (await newFolder())
  await writeFile(join(folder, 'test.yaml'), `${head}steps:${steps}\n${more}\n`)
  return opsbook(['run', 'test.yaml', '--data-dir', 'data', ...words], { ...surroundings, folder })
}

test('a run that succeeds: the report on stdout, one line for each event that matters on stderr', async () => {
  const { code, stdout, stderr } = await run(create + look, ['--sandbox'], {}, token)
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^✔ test succeeded after \d\.\ds {2}run_\S+\n\n {2}✔ application {2}Create the application {2}succeeded/,
  )
  expect(stderr).toMatch(/^\d\d:\d\d:\d\d run run_\S+ of test started, 2 steps$/m)
  expect(stderr).toMatch(/^\d\d:\d\d:\d\d catalog: succeeded after \d/m)
})

test('sensitive outputs are masked in text, wherever they stand, and shown on demand', async () => {
  const masked = await run(create, ['--sandbox'], {}, token)
  expect(masked.stdout).toContain('token: (masked)')
  expect(masked.stdout).toContain('--reveal shows them')
  const shown = await run(create, ['--sandbox', '--reveal'], {}, token)
  const value = /token: (\S{35})$/m.exec(shown.stdout)?.[1]
  expect(value).toBeDefined()
  expect(masked.stdout + masked.stderr).not.toContain(value)
})

test('json: one document, with outputs that scripts can use', async () => {
  const { code, stdout, stderr } = await run(create + look, ['--sandbox', '--output', 'json'], {}, token)
  expect(code).toBe(0)
  const document = JSON.parse(stdout)
  expect(document).toMatchObject({
    run_id: expect.stringMatching(/^run_/),
    runbook: 'test',
    status: 'succeeded',
    outputs: { token: expect.stringMatching(/^\S{35}$/) },
    started_at: expect.stringMatching(/^\d{4}-.*Z$/),
    ended_at: expect.stringMatching(/^\d{4}-.*Z$/),
    steps: [
      {
        path: 'application',
        name: 'Create the application',
        action: 'rum/application/create',
        status: 'succeeded',
        attempts: 1,
      },
      { path: 'catalog', action: 'monit/tools/catalog', status: 'succeeded' },
    ],
  })
  const logs = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(logs).toContainEqual(
    expect.objectContaining({
      level: 'info',
      run: document.run_id,
      path: 'application',
      request_id: expect.any(String),
    }),
  )
  expect(stderr).not.toContain(document.outputs.token)
})

test('ndjson: every event as it happens, the document last', async () => {
  const { stdout } = await run(look, ['--sandbox', '--output', 'ndjson', '--quiet'])
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ type }) => type)).toEqual([
    'run_started',
    'step_started',
    'attempt_started',
    'attempt_succeeded',
    'step_finished',
    'run_finished',
  ])
  expect(lines.at(-1)).toMatchObject({ status: 'succeeded', steps: [{ path: 'catalog' }] })
})

test('quiet: nothing on stderr', async () => {
  for (const output of ['text', 'json']) {
    expect(await run(look, ['--sandbox', '--quiet', '--output', output])).toMatchObject({
      code: 0,
      stderr: '',
    })
  }
})

test('logs hold no sensitive value and no key, whatever the level', async () => {
  const service = await startService()
  const env = { ...service.env(), OPSBOOK_LOG_LEVEL: 'trace' }
  const { stdout, stderr } = await run(create, ['--output', 'json'], { env }, token)
  expect(stderr).toContain('"action":"rum/application/create"')
  expect(stderr).not.toContain(JSON.parse(stdout).outputs.token)
  for (const text of [stdout, stderr]) expect(text).not.toContain('sandbox-owner')
})

test('an unknown log level is wrong usage', async () => {
  const { code, stderr } = await run(look, ['--sandbox'], { env: { OPSBOOK_LOG_LEVEL: 'loud' } })
  expect(code).toBe(2)
  expect(stderr).toContain('OPSBOOK_LOG_LEVEL is "loud"')
})

type Ending = readonly [
  about: string,
  steps: string,
  faults: readonly object[],
  key: string,
  code: number,
  said: readonly (string | RegExp)[],
]

const endings: readonly Ending[] = [
  [
    'refused by the service',
    look + create,
    [],
    'sandbox-guest',
    1,
    [/application: AccessDenied {2}\S/, /request id {2}\w+/, /next .*permission/, /catalog .*succeeded/],
  ],
  ['wrong key', look, [], 'wrong-key-123', 5, ['catalog: Unauthorized', 'opsbook doctor']],
  ['a proxy that answers HTML', look, [{ operation: '*', html: 502 }], 'sandbox-owner', 5, ['ForeignAnswer']],
  [
    'a proxy that answers HTML after the service has answered',
    create + look,
    [{ operation: 'catalog', html: 502 }],
    'sandbox-owner',
    1,
    [
      'ForeignAnswer',
      'Created or sent before the end, and not rolled back',
      /application_id: \w+/,
      'client_token: (masked)',
    ],
  ],
  [
    'a create whose answer is lost',
    create,
    [{ operation: 'E2', close_after: true }],
    'sandbox-owner',
    4,
    ['? test needs a decision', 'application: OutcomeUnknown', 'Find out by hand'],
  ],
  [
    'items that failed',
    `
  - id: checks
    uses: monit/tools/invoke
    with: { target_locator: web-01, tools: [{ tool: os.overview }, { tool: no.such }] }`,
    [],
    'sandbox-owner',
    1,
    [
      'checks: TooManyFailures',
      '1 of 2 failed (unknown_tool: no.such)',
      'no.such: unknown_tool: ',
      '1 of 2 items failed',
    ],
  ],
]

test.each(endings)('%s', async (_, steps, faults, key, code, said) => {
  const service = await startService()
  await service.fault(...faults)
  const result = await run(steps, [], { env: service.env(key) })
  expect(result.code, result.stdout + result.stderr).toBe(code)
  for (const text of said) expect(result.stdout).toMatch(typeof text === 'string' ? literally(text) : text)
  expect(result.stdout + result.stderr).not.toContain(key)
})

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
}

test('failures that are tolerated stay visible', async () => {
  const steps = `
  - id: checks
    uses: monit/tools/invoke
    tolerate: all
    with: { target_locator: web-01, tools: [{ tool: os.overview }, { tool: no.such }] }`
  const { code, stdout } = await run(steps, ['--sandbox'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/✔ checks .*succeeded .*1 of 2 items failed/)
})

test('an address where nothing listens', async () => {
  const env = { OPSBOOK_BASE_URL: 'http://127.0.0.1:1', OPSBOOK_APP_KEY: 'some-key' }
  const { code, stdout } = await run(look, [], { env })
  expect(code).toBe(5)
  expect(stdout).toContain('ConnectionRefused')
})

/** Mistakes that are found before the service is asked for anything. */
const early: readonly (readonly [
  about: string,
  steps: string,
  words: readonly string[],
  more: string,
  code: number,
  said: string,
])[] = [
  [
    'an unknown action',
    '\n  - { id: a, uses: monit/tols/catalog }',
    [],
    '',
    2,
    'did you mean "monit/tools/catalog"?',
  ],
  ['an input that is not declared', look, ['-i', 'x=1'], '', 2, 'there is no input "x"'],
  [
    'a missing input',
    look,
    [],
    'inputs: { type: object, required: [host], properties: { host: { type: string } } }',
    2,
    'missing input "host"',
  ],
  [
    'an input of the wrong type',
    look,
    ['-i', 'count=x'],
    'inputs: { type: object, properties: { count: { type: integer } } }',
    2,
    '"count" must be a whole number, not the text "x"',
  ],
  ['an input given twice', look, ['-i', 'a=1', '-i', 'a=2'], '', 2, 'the input "a" is given twice'],
  ['an input without a value', look, ['-i', 'host'], '', 2, '--input takes name=value'],
  ['an integer beyond 2^53', look, ['-i', 'host=9007199254740993'], '', 2, 'beyond 2^53'],
  [
    'an inputs file that is missing',
    look,
    ['--inputs-file', 'none.yaml'],
    '',
    2,
    'none.yaml cannot be read: there is no such file',
  ],
  ['an inputs file that is a list', look, ['--inputs-file', '-'], '', 2, 'stdin must hold a map of inputs'],
  [
    'an argument that breaks a rule of the operation, seen only with the inputs',
    '\n  - id: agent\n    uses: safari/a2a-agent/create\n    with: { agent_name: a, instructions: b, card_url: "${{ inputs.url }}" }',
    ['-i', 'url=not-a-url'],
    'inputs: { type: object, properties: { url: { type: string } } }',
    2,
    'card_url',
  ],
]

test.each(early)('%s: nothing is sent', async (_, steps, words, more, code, said) => {
  const service = await startService()
  const result = await run(steps, words, { env: service.env(), stdin: '[1, 2]' }, more)
  expect(result.stderr).toContain(said)
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' })
  expect(result.stderr).not.toMatch(/^\s+at /m)
  expect(await service.calls()).toEqual([])
})

test('inputs of the file, with flags over them', async () => {
  const folder = await newFolder({ 'inputs.json': '{"one": 1, "two": [2]}' })
  const declared = 'inputs: { type: object, properties: { one: {}, two: {}, three: { default: 3 } } }'
  const outputs = 'outputs: { all: "${{ inputs }}" }'
  const words = ['--sandbox', '--output', 'json', '--inputs-file', 'inputs.json', '-i', 'one={a: b}']
  const { stdout, stderr } = await run(look, words, { folder }, `${declared}\n${outputs}`)
  expect(JSON.parse(stdout || stderr).outputs).toEqual({ all: { one: { a: 'b' }, two: [2], three: 3 } })
})

test('a runbook by name: of the folder here, however it is hyphenated, then of the package', async () => {
  const folder = await newFolder({})
  await mkdir(join(folder, 'runbooks'))
  await writeFile(join(folder, 'runbooks', 'check_host.yaml'), `${head}steps:${look}\n`)
  for (const name of ['check_host', 'check-host']) {
    expect(await opsbook(['run', name, '--sandbox', '--quiet'], { folder })).toMatchObject({ code: 0 })
  }
  const packaged = await opsbook(['run', 'incident-to-post-mortem', '--sandbox'], { folder })
  expect(packaged.stderr).toContain('the inputs do not fit incident_to_post_mortem')
  await writeFile(join(folder, 'elsewhere.yaml'), 'name: elsewhere\n')
  for (const [given, meant] of [
    ['elsewhere', 'elsewhere.yaml'],
    ['elsewere.yaml', 'elsewhere.yaml'],
    ['elsewere', 'elsewhere.yaml'],
    ['runbooks/chek_host.yaml', 'runbooks/'],
  ] as const) {
    const wrong = await opsbook(['run', given, '--sandbox'], { folder })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining(`did you mean "${meant}`) })
  }
  const missing = await opsbook(['run', 'chek-host', '--sandbox'], { folder })
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "check_host"?') })
  const gone = await opsbook(['run', 'check-host.yaml', '--sandbox'], { folder })
  expect(gone.stderr).toContain('there is no file check-host.yaml')
  const folderNamed = await opsbook(['run', 'runbooks', '--sandbox'], { folder })
  expect(folderNamed).toMatchObject({ code: 2, stderr: expect.stringContaining('runbooks is a folder') })
  expect(folderNamed.stderr).toContain('such as runbooks/check_host.yaml')
  // Its only YAML file is none.
  const noneThere = await opsbook(['run', '.', '--sandbox'], { folder })
  expect(noneThere.stderr).toMatch(/there are no runbooks in it\n +runbooks by name: check_host, /)
})

test('a data directory that holds something else', async () => {
  const folder = await newFolder()
  await mkdir(join(folder, 'data'))
  await writeFile(join(folder, 'data', 'opsbook.db'), 'this is no database, and never was one\n'.repeat(100))
  const { code, stdout, stderr } = await run(look, ['--sandbox'], { folder })
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
  expect(stderr).toContain('DataDirUnusable')
  expect(stderr).toContain('--data-dir')
})

test('files that steps wrote are named', async () => {
  const steps = `
  - id: record
    uses: safari/session/export
    with: { session_id: sess_short }
    save-as: session.ndjson`
  const folder = await newFolder()
  const { code, stdout } = await run(steps, ['--sandbox'], { folder })
  expect(code).toBe(0)
  const [runId] = await readdir(join(folder, 'data', 'runs'))
  expect(stdout).toContain(`Files in ${join(folder, 'data', 'runs', runId ?? '')}\n  session.ndjson`)
})

const slow = `${look}
  - id: slow
    uses: monit/preview/sync
    with: { ds_type: prometheus, ds_name: prom-main, expr: up }
  - id: never
    uses: monit/tools/catalog
    with: { target_locator: web-01 }`

/** A service that does not answer the datasource query in the time of a test. */
async function slowService(): Promise<Service> {
  const service = await startService()
  await service.fault({ operation: 'E5', delay_ms: 600_000 })
  return service
}

test('a signal before the run has begun stops it, too', async () => {
  const service = await slowService()
  const { code, stdout } = await run(slow, ['--output', 'json'], {
    env: service.env(),
    onWrite: (text, command) => text.includes('run_started') && command.signal('SIGINT'),
  })
  expect(code).toBe(130)
  expect(JSON.parse(stdout).status).toBe('interrupted')
})

test('a proxy of the surroundings is no way to the sandbox in this process', async () => {
  const proxy = createServer((_, answer) => answer.writeHead(502).end())
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  const before = process.env['HTTP_PROXY']
  process.env['HTTP_PROXY'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  onTestFinished(() => {
    if (before === undefined) delete process.env['HTTP_PROXY']
    else process.env['HTTP_PROXY'] = before
    proxy.close()
  })
  expect(await run(look, ['--sandbox', '--quiet'])).toMatchObject({ code: 0 })
})
