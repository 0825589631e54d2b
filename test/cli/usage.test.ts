import { isAbsolute } from 'node:path'
import { expect, test } from 'vitest'
import { chooseDataDir } from '../../src/project/configuration/index.ts'
import { opsbook } from './support/opsbook.ts'

const commands = [
  'init',
  'run',
  'runs',
  'show',
  'watch',
  'logs',
  'resume',
  'validate',
  'plan',
  'graph',
  'call',
  'actions',
  'schema',
  'audit',
  'tokens',
  'sandbox',
  'doctor',
]

test.each(commands)('%s explains itself with an example', async (command) => {
  const { code, stdout, stderr } = await opsbook([command, '--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`Usage: opsbook ${command}`)
  expect(stdout).toMatch(new RegExp(`Examples:\\n.*opsbook ${command}`))
})

test('the program lists its commands, the exit codes and how to connect', async () => {
  const { code, stdout } = await opsbook(['--help'])
  expect(code).toBe(0)
  for (const word of [...commands, 'Exit codes', 'OPSBOOK_BASE_URL']) expect(stdout).toContain(word)
})

test('the version is one line', async () => {
  expect(await opsbook(['--version'])).toMatchObject({ code: 0, stdout: '0.0.0-test\n', stderr: '' })
})

test('no command at all is wrong usage, told on stderr', async () => {
  const { code, stdout, stderr } = await opsbook([])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('Commands:')
})

const mistakes: readonly (readonly [words: readonly string[], said: readonly string[]])[] = [
  [
    ['validat', 'x'],
    ["unknown command 'validat'", 'Did you mean validate?', 'known commands: init, run,'],
  ],
  [
    ['watsch', 'x'],
    ["unknown command 'watsch'", 'known commands: init, run, start, resume,', '"opsbook --help"'],
  ],
  [
    ['help', 'run2'],
    ["unknown command 'run2'", 'Did you mean one of run, runs?'],
  ],
  [
    ['status', 'latest'],
    ['unknown command \'status\'\n  "opsbook show" shows a run', '"opsbook runs" lists them'],
  ],
  [['abort', 'latest'], ['"opsbook cancel" cancels a run']],
  [['schedules', 'list'], ['known commands: apply, trigger,']],
  [
    ['run', 'a', '--dry-run'],
    ["unknown option '--dry-run'", '"opsbook plan" shows'],
  ],
  [['runs', '--json'], ['--output prints JSON']],
  [['run', 'a', 'host=web-01'], ['--input host=…']],
  [['run', '/dev/null'], ['/dev/null is neither a file nor a pipe']],
  [['run'], ["missing required argument 'runbook'", '--help']],
  [['run', 'a', 'b'], ['too many arguments']],
  [
    ['run', 'a', '--conection', 'x'],
    ["unknown option '--conection'", '--connection'],
  ],
  [
    ['run', 'a', '--output', 'xml'],
    ['json', 'ndjson'],
  ],
  [['validate'], ["missing required argument 'path'"]],
  [
    ['actions', 'monit/tools/invok'],
    ['there is no action', 'did you mean "monit/tools/invoke"?'],
  ],
  [['actions', 'invoke'], ['did you mean "monit/tools/invoke"?']],
  [['actions', 'rules'], ['known: rum/error-ingestion/rules/list, rum/issue/preset-severity/rules/disable']],
  [['call', 'monit/tols/catalog'], ['did you mean "monit/tools/catalog"?']],
  [['call', 'core/write'], ['works only inside a run']],
  [['start', 'a'], ['there is no runbook "a"']],
  [['run', 'a', '--engine', 'embeded'], ['there is no engine "embeded"']],
  [['run', 'a', '--id', ''], ['--id is empty']],
  [['show'], ["missing required argument 'run'"]],
  [
    ['events', 'show'],
    ["missing required argument 'id'", '--help'],
  ],
  [
    ['schedules', 'pause'],
    ["missing required argument 'schedule'", '--help'],
  ],
  [
    ['events', 'test', 'look'],
    ["required option '--event <file>'", '--help'],
  ],
  [['temporal', 'nonsense'], ['known commands: setup;']],
  [
    ['temporal', 'codec-server', '--listen', '0.0.0.0:0'],
    ["unknown command 'codec-server'", 'workers/codec-server.mjs'],
  ],
  [['triggers', 'nonsense'], ['known commands: pause, unpause;']],
  [['events', 'nonsense'], ['known commands: show, test, send;']],
  [['schedules', 'nonsense'], ['known commands: apply, trigger, pause, unpause, delete;']],
  [['watch', 'a', '--output', 'json'], ['ndjson']],
  [['sandbox', '--port', '70000'], ['--port takes a number from 0 to 65535']],
  [['sandbox', '--port', 'x'], ['--port takes a number']],
  [['sandbox', '--latency', '20'], ['--latency takes a duration']],
  [['sandbox', '--webhook', 'ftp://x'], ['--webhook takes an http or https address']],
]

test('an empty HOME is no home: the data directory is that of the user, and never relative', () => {
  const dataDir = chooseDataDir(undefined, { document: {} }, {
    env: { HOME: '' },
    workingDirectory: '/',
  } as never)
  expect(isAbsolute(dataDir)).toBe(true)
  expect(dataDir).toMatch(/.\/\.local\/share\/opsbook$/)
})

test('help says what is so', async () => {
  expect((await opsbook(['runs', '--help'])).stdout).toMatch(/Statuses: .*paused/)
  expect((await opsbook(['resume', '--help'])).stdout).not.toContain('read as YAML')
  for (const words of [
    ['events', 'show'],
    ['schedules', 'trigger'],
    ['triggers', 'pause'],
  ]) {
    const { stdout } = await opsbook([...words, '--help'])
    expect(stdout.match(/--data-dir <folder>/g)).toHaveLength(1)
    expect(stdout).not.toContain('--hook')
    expect(stdout).toContain('--no-color')
  }
  expect((await opsbook(['prune', '--help'])).stdout).not.toContain('-n, --dry-run')
})

test.each(mistakes)('%j is wrong usage', async (words, said) => {
  const { code, stdout, stderr } = await opsbook(words)
  expect(code).toBe(2)
  // For a program the mistake is the answer.
  if (words.includes('json')) expect(JSON.parse(stdout)).toHaveProperty('error')
  else expect(stdout).toBe('')
  for (const text of said) expect(stderr).toContain(text)
  expect(stderr).not.toMatch(/^\s+at /m)
})

const keys: readonly (readonly string[])[] = [
  ['run', 'a', '--app-key', 'canary-123'],
  ['run', 'a', '--app-key=canary-123'],
  ['run', 'a', '--app_key=canary-123'],
  ['run', 'a', '--api-key', 'canary-123'],
  ['run', 'a', '-i', 'app_key=canary-123'],
  ['run', 'a', '--input=app-key=canary-123'],
  ['call', 'monit/tools/catalog', '--input', '"app_key": canary-123'],
  ['doctor', '--connection', 'https://api.example.com?app_key=canary-123'],
  ['call', 'safari/a2a-agent/create', '-i', 'auth_config={token: canary-123}'],
]

test.each(keys.map((words) => [words]))('%j is refused, and the key is not repeated', async (words) => {
  const { code, stdout, stderr } = await opsbook(words)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('every user of this machine could read')
  expect(stderr).not.toContain('canary')
})

test('colours come with a terminal or by flag, and NO_COLOR takes them away', async () => {
  const colour = '\u001b['
  const words = ['actions', 'nothing']
  const has = async (...how: Parameters<typeof opsbook>): Promise<boolean> =>
    (await opsbook(...how)).stderr.includes(colour)
  expect(await has(words)).toBe(false)
  expect(await has(words, { isTerminal: true })).toBe(true)
  expect(await has([...words, '--color'])).toBe(true)
  expect(await has([...words, '--no-color'], { isTerminal: true })).toBe(false)
  expect(await has(words, { isTerminal: true, env: { NO_COLOR: '1' } })).toBe(false)
  expect(await has(words, { isTerminal: true, env: { TERM: 'dumb' } })).toBe(false)
})
