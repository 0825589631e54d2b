import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startStandIn } from '../api/stand-in.ts'
import { newFolder, opsbook } from './support/opsbook.ts'
import { startService } from './support/service.ts'

const create = [
  'call',
  'rum/application/create',
  '-i',
  'application_name=shop',
  '-i',
  'type=browser',
  '-i',
  'team_id=1',
]
const tools = (...names: readonly string[]): string =>
  `tools=[${names.map((tool) => `{tool: ${tool}}`).join(', ')}]`
const invoke = (locator: string, ...names: readonly string[]): readonly string[] => [
  'call',
  'monit/tools/invoke',
  '-i',
  `target_locator=${locator}`,
  '-i',
  tools(...names),
]

test('the whole answer on stdout, sensitive values masked', async () => {
  const masked = await opsbook([...create, '--sandbox'])
  expect(masked).toMatchObject({ code: 0 })
  expect(masked.stdout).toMatch(/^application_id: \w+\napplication_name: shop\nclient_token: \(masked\)\n$/)
  expect(masked.stderr).toContain('--reveal shows them')
  const shown = await opsbook([...create, '--sandbox', '--reveal'])
  expect(shown.stdout).toMatch(/^client_token: \S{35}$/m)
  expect(shown.stderr).toBe('')
})

test('json: outputs, request ids, warnings', async () => {
  const { code, stdout } = await opsbook([...create, '--sandbox', '-o', 'json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    action: 'rum/application/create',
    status: 'succeeded',
    outputs: {
      application_id: expect.any(String),
      application_name: 'shop',
      client_token: expect.stringMatching(/^\S{35}$/),
    },
    request_ids: [expect.any(String)],
    warnings: [],
  })
})

test('more items than one call takes are split and merged', async () => {
  const names = Array.from({ length: 9 }, () => 'os.overview')
  const { code, stdout } = await opsbook([...invoke('web-01', ...names), '--sandbox', '-o', 'json'])
  expect(code).toBe(0)
  const { outputs, request_ids } = JSON.parse(stdout)
  expect(outputs).toMatchObject({ total: 9, succeeded: 9, failed: 0 })
  expect(outputs.results).toHaveLength(9)
  expect(request_ids).toHaveLength(2)
})

test('one failed item is a failure, and the answers of the others are there', async () => {
  const words = [...invoke('web-01', 'os.overview', 'no.such'), '--sandbox']
  const { code, stdout, stderr } = await opsbook(words)
  expect(code).toBe(1)
  expect(stdout).toContain('tool: os.overview')
  expect(stdout).toContain('code: unknown_tool')
  expect(stderr).toMatch(/error: 1 of 2 items failed \(request id \w+\)/)
  expect(JSON.parse((await opsbook([...words, '-o', 'json'])).stdout)).toMatchObject({
    status: 'failed',
    outputs: { failed: 1 },
  })
})

test('an export goes to its file', async () => {
  const folder = await newFolder()
  const words = [
    'call',
    'safari/session/export',
    '-i',
    'session_id=sess_short',
    '--save-as',
    's.ndjson',
    '--sandbox',
    '-o',
    'json',
  ]
  const { code, stdout } = await opsbook(words, { folder })
  expect(code).toBe(0)
  const { outputs } = JSON.parse(stdout)
  expect(outputs.path).toBe(join(folder, 's.ndjson'))
  const text = await readFile(outputs.path, 'utf8')
  expect(text.split('\n')).toHaveLength(outputs.lines + 1)
})

type Failure = readonly [
  about: string,
  words: readonly string[],
  faults: readonly object[],
  key: string,
  code: number,
  said: readonly string[],
]

const look = ['call', 'monit/tools/catalog', '-i', 'target_locator=web-01']
const failures: readonly Failure[] = [
  ['a key that nobody knows', look, [], 'wrong-key-42', 5, ['Unauthorized', 'opsbook doctor', 'request id']],
  ['a key without the permission', create, [], 'sandbox-guest', 1, ['AccessDenied', 'opsbook actions NAME']],
  [
    'an error for the whole request',
    invoke('down-01', 'os.overview'),
    [],
    'sandbox-owner',
    1,
    ['target_unavailable'],
  ],
  [
    'a create whose answer is lost',
    create,
    [{ operation: 'E2', close_after: true }],
    'sandbox-owner',
    4,
    ['OutcomeUnknown', 'Find out by hand'],
  ],
  [
    'a proxy that answers HTML',
    look,
    [{ operation: '*', html: 502 }],
    'sandbox-owner',
    5,
    ['ForeignAnswer', 'the proxy'],
  ],
  [
    'a redirect',
    look,
    [{ operation: '*', redirect: 'http://127.0.0.1:1/' }],
    'sandbox-owner',
    5,
    ['RedirectRefused'],
  ],
  [
    'an answer that breaks off',
    look,
    [{ operation: '*', broken_json: true }],
    'sandbox-owner',
    1,
    ['InvalidAnswer'],
  ],
]

test.each(failures)('%s', async (_, words, faults, key, code, said) => {
  const service = await startService()
  await service.fault(...faults)
  const text = await opsbook(words, { env: service.env(key) })
  expect({ code: text.code, stdout: text.stdout }).toEqual({ code, stdout: '' })
  for (const part of said) expect(text.stderr).toContain(part)
  const json = await opsbook([...words, '-o', 'json'], { env: service.env(key) })
  expect(json.code).toBe(code)
  const document = JSON.parse(json.stdout)
  expect(document).toMatchObject({
    status: code === 4 ? 'unknown' : 'failed',
    error: { code: said[0], message: expect.any(String) },
  })
  expect(document.error.request_id).toBe(document.request_ids[0])
  for (const { stdout, stderr } of [text, json]) {
    expect(stdout + stderr).not.toContain(key)
    expect(stderr).not.toMatch(/^\s+at /m)
  }
})

const early: readonly (readonly [about: string, words: readonly string[], code: number, said: string])[] = [
  ['a missing argument', ['call', 'monit/tools/catalog'], 2, 'target_locator: is required'],
  ['an unknown argument', [...look, '-i', 'target=x'], 2, 'target: is not a known field'],
  [
    'an argument of the wrong type',
    ['call', 'rum/application/create', '-i', 'application_name=3', '-i', 'type=browser', '-i', 'team_id=x'],
    2,
    '  team_id: ',
  ],
  [
    'a rule beyond the schema',
    ['call', 'monit/tools/catalog', '-i', 'target_locator=a b'],
    2,
    'target_locator: ',
  ],
  ['a file for an action that writes none', [...look, '--save-as', 'x'], 2, 'writes no file'],
  [
    'no file for an export',
    ['call', 'safari/session/export', '-i', 'session_id=s'],
    2,
    'name it with --save-as',
  ],
  [
    'a file in a folder that is not there',
    ['call', 'safari/session/export', '-i', 'session_id=s', '--save-as', 'a/b'],
    5,
    'there is no such folder',
  ],
]

test.each(early)('%s: nothing is sent', async (_, words, code, said) => {
  const service = await startService()
  const result = await opsbook(words, { env: service.env() })
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' })
  expect(result.stderr).toContain(said)
  expect(await service.calls()).toEqual([])
})

test('secret arguments come in by file or pipe', async () => {
  const input = {
    agent_name: 'a',
    instructions: 'b',
    card_url: 'https://a.example/c',
    auth_type: 'api_key',
    auth_config: { api_key: 'canary-9' },
  }
  const words = ['call', 'safari/a2a-agent/create', '--inputs-file', '-', '--sandbox', '--verbose']
  const { code, stdout, stderr } = await opsbook(words, { stdin: JSON.stringify(input) })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^agent_id: \S+\n$/)
  expect(stdout + stderr).not.toContain('canary-9')
})

test('a signal ends a call that waits', async () => {
  const service = await startService()
  await service.fault({ operation: 'catalog', delay_ms: 600_000 })
  let signal = (): void => {}
  const running = opsbook([...look, '--verbose', '-o', 'json'], {
    env: { ...service.env(), OPSBOOK_LOG_LEVEL: 'silent' },
    stdin: '',
    onStart: (command) => {
      signal = () => command.signal('SIGINT')
    },
  })
  await expect.poll(service.calls).toEqual(['catalog'])
  signal()
  const { code, stderr } = await running
  expect(code).toBe(130)
  expect(stderr).toBe('')
})

test.each(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const)(
  'a write that is in flight is awaited at %s',
  async (name) => {
    let answerNow = (): void => {}
    const server = await startStandIn((_, response) => {
      answerNow = () => void response.writeHead(201).end('made')
    })
    let signal = (): void => {}
    const running = opsbook(
      ['call', 'core/http', '-i', `url=${server.baseUrl}`, '-i', 'method=POST', '-i', 'safety=create'],
      {
        onStart: (command) => {
          signal = () => command.signal(name)
        },
      },
    )
    await expect.poll(() => server.received.length).toBe(1)
    signal()
    answerNow()
    const { code, stdout, stderr } = await running
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('a write in flight is awaited'),
    })
    expect(stdout).toContain('body: made')
  },
)
