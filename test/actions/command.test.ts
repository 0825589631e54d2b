import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Action, createActions, RunbookError } from 'opsbook'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMask, secretMark } from '../../src/core/mask/mask.ts'
import { contextWith, newFolder, runnerOf } from './context-with.ts'
import { isRunning, processesOf, uniqueSleep } from './processes.ts'

const command = commandWith({ local: true })
const { run, failureOf } = runnerOf(command)

afterEach(() => {
  vi.unstubAllEnvs()
})

function commandWith(commands: { readonly local?: boolean; readonly ssh?: readonly string[] }): Action {
  return createActions([], { commands }).find(({ name }) => name === 'core/command') as Action
}

const oddWords = [
  'a b',
  "it's",
  '"',
  '$HOME',
  '`id`',
  '$(id)',
  '\\',
  '\\n',
  '*',
  '',
  '-x',
  'é Á 🎉',
  'a\nb',
  ';',
  '#',
  '!',
  '~',
]

describe('a command', () => {
  it('gets its arguments as they are: no shell reads them', async () => {
    const words = [...oddWords, 3, true]
    expect(await run({ command: ['printf', '%s|', ...words] })).toEqual({
      code: 0,
      stdout: words.map((word) => `${word}|`).join(''),
      stderr: '',
    })
  })

  it.each([['eval'], ['exit'], ['export'], ['no-such-program']])(
    'is a program, and nothing that a shell knows: %s',
    async (program) => {
      expect(await failureOf({ command: [program, 'echo found'] })).toMatchObject({
        code: 'CommandFailed',
        details: { status: 127 },
      })
    },
  )

  it('has a small environment, and nothing on its standard input', async () => {
    vi.stubEnv('OPSBOOK_APP_KEY', 'key-of-the-parent')
    vi.stubEnv('LANG', 'C.UTF-8')
    const { stdout } = await run({
      script: 'cat; env',
      env: { LEVEL: 2, NAME: oddWords.join(' ') },
      'secret-env': { PGPASSWORD: { secret: 'word-of-the-day' } },
    })
    const names = String(stdout).match(/^[A-Za-z_]+(?==)/gm) ?? []
    const ofShells = ['PWD', 'OLDPWD', 'SHLVL', '_']
    expect(names.filter((name) => !ofShells.includes(name)).toSorted()).toEqual(
      ['HOME', 'LANG', 'LEVEL', 'NAME', 'OPSBOOK_FILES', 'PATH', 'PGPASSWORD'].toSorted(),
    )
    expect(stdout).toContain(`NAME=${oddWords.join(' ')}`)
    expect(stdout).toContain('PGPASSWORD=word-of-the-day')
  })

  it('has no secret among the arguments of any process', async () => {
    const { stdout } = await run({
      script: 'test -n "$TOKEN" && ps -A -o args',
      'secret-env': { TOKEN: { secret: 'word-of-the-day' } },
    })
    expect(stdout).toContain('ps -A -o args')
    expect(stdout).not.toContain('word-of-the-day')
  })

  it.each([
    [{ command: ['printf', 'a\\n\\n'] }, 'a'],
    [{ command: ['printf', 'a\\r\\nb\\n'], output: 'lines' }, ['a', 'b']],
    [{ command: ['true'], output: 'lines' }, []],
    [{ command: ['printf', '\\357\\273\\277{"a": 1}'], output: 'json' }, { a: 1 }],
    [
      { command: ['printf', '{"a": [1, 12345678901234567890]}'], output: 'json' },
      { a: [1, '12345678901234567890'] },
    ],
  ])('makes outputs: %j', async (input, stdout) => {
    expect(await run(input)).toEqual({ code: 0, stdout, stderr: '' })
  })

  it('that says something other than JSON has run', async () => {
    expect(await failureOf({ command: ['echo', '{a'], output: 'json' })).toMatchObject({
      code: 'InvalidAnswer',
      notSent: false,
    })
    expect(await failureOf({ script: String.raw`printf '{"a":"caf\351"}'`, output: 'json' })).toMatchObject({
      code: 'InvalidAnswer',
      message: expect.stringContaining('is not UTF-8'),
    })
  })
})

describe('an exit code', () => {
  const script = 'echo out; echo first >&2; echo "no route to db" >&2; exit 3'

  it('that is not in ok is the failure, with the end of stderr', async () => {
    const error = await failureOf({ script })
    expect(error).toMatchObject({
      code: 'CommandFailed',
      message: 'exit code 3: no route to db',
      details: { status: 3, stderr: 'first\nno route to db', stdout: 'out' },
    })
  })

  it('keeps the end of stdout, which is the reason where stderr is empty', async () => {
    const many = 'for n in $(seq 1 20000); do echo "line $n"; done; echo "2 tests failed"; exit 1'
    const folder = newFolder()
    for (const more of [
      {},
      { saveAs: 'out.txt', artifacts: { folder, fileFor: async (name: string) => join(folder, name) } },
    ]) {
      const error = await command.run({ script: many }, contextWith(more)).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'CommandFailed', message: 'exit code 1: 2 tests failed' })
      const { stdout } = (error as RunbookError).details as { stdout: string }
      expect(stdout.length).toBeGreaterThan(65_000)
      expect(stdout).toMatch(/line 20000\n2 tests failed$/)
    }
  })

  it('that is in ok is an output', async () => {
    expect(await run({ script, ok: [0, 3] })).toEqual({
      code: 3,
      stdout: 'out',
      stderr: 'first\nno route to db',
    })
  })

  it('says which signal ended a command', async () => {
    expect(await failureOf({ script: 'kill -9 $$' })).toMatchObject({ details: { status: 137 } })
  })

  it('is not known where the shell of the command was killed', async () => {
    expect(await failureOf({ script: 'echo last words >&2; kill -9 $PPID' })).toMatchObject({
      code: 'ConnectionLost',
      message: expect.stringContaining('last words'),
    })
  })
})

describe('a large output', () => {
  const script = 'head -c 200000 /dev/zero | tr "\\0" a; printf "%070000d" 7 >&2'

  it('is cut, and that is said', async () => {
    const { output, warnings } = await command.run({ script }, contextWith())
    const { stdout, stderr } = output as { stdout: string; stderr: string }
    expect([stdout.length, stderr.length, stderr.at(-1)]).toEqual([65_536, 65_536, '7'])
    expect(warnings).toEqual([
      expect.stringMatching(/^stdout is 200000 bytes; its first 64 KiB/),
      expect.stringMatching(/^stderr is 70000 bytes; its last 64 KiB/),
    ])
  })

  it('is cut between two characters, also where its bytes are none', async () => {
    const foreign = String.raw`printf a; head -c 100000 /dev/zero | LC_ALL=C tr '\0' '\301'`
    const { stdout } = await run({ script: foreign })
    expect(stdout).toMatch(/^a\ufffd{65535}$/)
    const script = 'x=$(printf "%040000d" 0 | sed s/0/ü/g); echo $x; echo $x >&2'
    const { stdout: wide, stderr } = await run({ script })
    expect(String(wide).length).toBe(32_768)
    expect(String(stderr).length).toBe(32_767)
    const four = await run({ script: 'x=$(printf "%020000d" 0 | sed s/0/😀/g); printf %sx "$x" >&2' })
    expect(four.stderr).toMatch(/^(😀){16383}x$/u)
  })

  it('is JSON up to 1 MiB', async () => {
    const json = (bytes: number): string => `printf '"%0${bytes - 2}d"' 7`
    expect((await run({ script: json(1_048_576), output: 'json' })).stdout).toMatch(/^0{1048573}7$/)
    const error = await failureOf({ script: json(1_048_577), output: 'json' })
    expect(error).toMatchObject({ code: 'OutputTooLarge', message: expect.stringContaining('1 MiB') })
  })

  it.each([
    ['ends in a whole line', "seq -f '/srv/%06.0f/logs' 1 5000", 3855],
    ['keeps a line that ends where the rest begins', 'yes 1234567 | head -c 100000', 8192],
    ['has no line where the first one is too long', 'head -c 70000 /dev/zero | tr "\\0" a', 0],
  ])('as lines %s', async (_name, written, count) => {
    const { output, warnings } = await command.run({ script: written, output: 'lines' }, contextWith())
    const { stdout } = output as { stdout: string[] }
    expect(stdout).toHaveLength(count)
    expect(stdout.filter((line) => !/^(\/srv\/\d{6}\/logs|1234567)$/.test(line))).toEqual([])
    expect(warnings).toEqual([expect.stringMatching(/bytes; the whole lines of its first 64 KiB are kept/)])
  })

  it('is whole in the file of save-as', async () => {
    const folder = newFolder()
    const artifacts = { folder, fileFor: async (name: string) => join(folder, name) }
    const output = await run({ script }, { artifacts, saveAs: 'out.txt' })
    expect(output).toMatchObject({ path: 'out.txt', bytes: 200_000 })
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('a'.repeat(200_000))
  })

  it('shows no part of a secret that the cut at its beginning goes through', async () => {
    const secret = 'word-of-the-day'
    const mask = createMask([secret], secretMark)
    const cut = `(echo ${secret}; printf '%0${65_536 - 6}d' 0) >&2; exit 0`
    const { stderr } = await run({ script: cut }, { mask })
    expect(stderr).toBe(`${secretMark}\n${'0'.repeat(65_536 - 6)}`)
  })

  it('shows no part of a secret that the cut goes through', async () => {
    const secret = 'word-of-the-day'
    const mask = createMask([secret], secretMark)
    const cut = `printf '%0${65_536 - 6}d' 0; echo ${secret}; exit 0`
    const { stdout } = await run({ script: cut }, { mask })
    expect(String(stdout).slice(-6)).toBe(`000${secretMark}`)
  })
})

describe('a command that does not end', () => {
  it.each([
    ['ends with SIGTERM', (sleep: string) => `${sleep} & ${sleep}`],
    ['is killed where it ignores SIGTERM', (sleep: string) => `trap "" TERM; ${sleep} & ${sleep}`],
  ])('%s, with all processes of its group', async (_, scriptOf) => {
    const sleep = uniqueSleep()
    const error = await failureOf({ script: scriptOf(sleep) }, { timeoutMs: 500 })
    expect(error).toMatchObject({ code: 'AttemptTimeout', notSent: false })
    await expect.poll(() => isRunning(sleep)).toBe(false)
  })

  it('is given the time to end', async () => {
    const folder = newFolder()
    const script = `trap 'echo ended > ${folder}/note; exit 0' TERM; touch ${folder}/ready; sleep 300 & wait`
    const stop = new AbortController()
    const failing = failureOf({ script }, { signalBeforeSending: stop.signal })
    await expect.poll(() => existsSync(join(folder, 'ready'))).toBe(true)
    stop.abort()
    expect(await failing).toMatchObject({ code: 'Cancelled', notSent: false })
    expect(readFileSync(join(folder, 'note'), 'utf8')).toBe('ended\n')
  })

  it('ends with its run', async () => {
    const sleep = uniqueSleep()
    const stop = new AbortController()
    const failing = failureOf({ script: sleep }, { signalBeforeSending: stop.signal })
    await expect.poll(() => isRunning(sleep)).toBe(true)
    stop.abort()
    expect(await failing).toMatchObject({ code: 'Cancelled', notSent: false })
    await expect.poll(() => isRunning(sleep)).toBe(false)
  })

  it('never begins where the run has ended', async () => {
    const folder = newFolder()
    const error = await failureOf(
      { script: `echo a > ${folder}/note` },
      { signalBeforeSending: AbortSignal.abort() },
    )
    expect(error).toMatchObject({ code: 'Cancelled', notSent: true })
    expect(() => readFileSync(join(folder, 'note'))).toThrow('ENOENT')
  })

  it('never begins where the record refuses it', async () => {
    const folder = newFolder()
    const refusal = new RunbookError('Cancelled', 'no longer wanted', { notSent: true })
    const error = await failureOf(
      { script: `echo a > ${folder}/note` },
      { beforeSending: () => Promise.reject(refusal) },
    )
    expect(error).toBe(refusal)
    expect(() => readFileSync(join(folder, 'note'))).toThrow('ENOENT')
  })
})

it('what a command leaves in the background keeps running, and is not waited for', async () => {
  const sleep = uniqueSleep()
  expect(await run({ script: `${sleep} & echo started` })).toMatchObject({ code: 0, stdout: 'started' })
  expect(isRunning(sleep)).toBe(true)
  for (const pid of processesOf(sleep)) process.kill(pid)
})

describe('a command ends with the process that asked for it', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('%s', async (signal) => {
    const sleep = uniqueSleep()
    const program = `
      import { createActions } from '${new URL('../../src/index.ts', import.meta.url)}'
      import { contextWith } from '${new URL('context-with.ts', import.meta.url)}'
      const [command] = createActions([], { commands: { local: true } }).filter(({ name }) => name === 'core/command')
      await command.run({ script: '${sleep} & ${sleep}' }, contextWith())`
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      stdio: 'inherit',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await expect.poll(() => isRunning(sleep)).toBe(true)
    child.kill(signal)
    await expect.poll(() => isRunning(sleep)).toBe(false)
  })
})

describe('without an entry in opsbook.yaml', () => {
  it.each([
    [{}, { command: ['true'] }],
    [{ ssh: ['*.prod.example'] }, { command: ['true'] }],
    [{ local: true }, { command: ['true'], on: { ssh: 'web-01.prod.example' } }],
    [{ ssh: ['*.prod.example'] }, { command: ['true'], on: { ssh: 'prod.example' } }],
    [{ ssh: ['web.example'] }, { command: ['true'], on: { ssh: 'root@web.example.evil' } }],
  ])('%j nothing runs: %j', async (rules, input) => {
    await expect(commandWith(rules).run(input, contextWith())).rejects.toMatchObject({
      code: 'CommandNotAllowed',
      notSent: true,
    })
  })
})

it('what a command writes is told while it runs', async () => {
  const told: string[] = []
  const stop = new AbortController()
  const log = (_level: string, message: string): void => {
    told.push(message)
    if (told.length === 2) stop.abort()
  }
  const running = command.run(
    { script: 'echo first; while true; do echo next >&2; sleep 0.1; done', safety: 'read' },
    contextWith({ log, signalBeforeSending: stop.signal }),
  )
  await expect(running).rejects.toMatchObject({ code: 'Cancelled' })
  expect(told.slice(0, 2).toSorted()).toEqual(['first', 'next'])
})
