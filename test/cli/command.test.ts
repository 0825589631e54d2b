import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRunning, uniqueSleep } from '../actions/processes.ts'
import { type CommandResult, newFolder, opsbook, type RunningCommand } from './support/opsbook.ts'

const canary = 'canary-2b9e41'
const allowed =
  'commands: { local: true, ssh: ["*.prod.example"] }\nsecrets: { token: env:TOKEN }\ndata-dir: ./data\n'

async function newStage(steps: string, configuration = allowed) {
  const folder = await newFolder({
    'opsbook.yaml': configuration,
    'test.yaml': `apiVersion: opsbook/v1
name: test
secrets: [token]
inputs: { type: object, properties: { host: { type: string, default: web-01.prod.example } } }
steps:
${steps}`,
  })
  const command = (...words: readonly string[]): Promise<CommandResult> =>
    opsbook(words, { folder, env: { TOKEN: canary } })
  return { folder, command }
}

const fails = `  - id: fails
    uses: core/command
    with:
      script: 'echo "first $TOKEN"; echo one >&2; echo "no $TOKEN" >&2; exit "$CODE"'
      env: { CODE: "\${{ size(inputs.host) - 16 }}" }
      secret-env: { TOKEN: { secret: token } }
`

describe('the failure of a command', () => {
  it('is shown with the end of stderr, and no secret', async () => {
    const { folder, command } = await newStage(fails)
    const { code, stdout, stderr } = await command('run', 'test.yaml', '--verbose')
    expect(code).toBe(1)
    expect(stdout).toContain('fails: CommandFailed  exit code 3: no ***')
    expect(stdout).toContain('  stderr      one\n  stderr      no ***\n')
    const document = JSON.parse((await command('show', 'latest', '-o', 'json')).stdout)
    expect(document.error).toMatchObject({ details: { status: 3, stderr: 'one\nno ***' } })
    const kept = readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    expect(stdout + stderr + kept.join('\n')).not.toContain(canary)
  })

  it('is shown with the end of stdout, too, and says how many lines are before', async () => {
    const { command } = await newStage(
      '  - { id: fails, uses: core/command, with: { script: "seq 1 25; echo oops >&2; exit 1" } }\n',
    )
    const { stdout } = await command('run', 'test.yaml')
    expect(stdout).toContain(
      '  stdout      … at least 15 lines before: "show --full --output json" has them\n  stdout      16\n',
    )
    expect(stdout).toContain('  stdout      25\n  stderr      oops\n')
  })

  it('is one that resume makes again: its outcome is known', async () => {
    const { command } = await newStage(fails)
    await command('run', 'test.yaml')
    const { code, stdout } = await command('resume', 'latest', '-i', 'host=host-of-16-chars')
    expect({ code, stdout }).toMatchObject({ code: 0 })
  })

  it('of which nobody knows the end has an unknown outcome', async () => {
    const { command } = await newStage(
      '  - { id: a, uses: core/command, with: { script: "kill -9 $PPID" } }\n',
    )
    const { code, stdout } = await command('run', 'test.yaml')
    expect({ code, stdout }).toEqual({ code: 4, stdout: expect.stringContaining('OutcomeUnknown') })
  })
})

describe('a command that is not allowed', () => {
  const far = (more = '') =>
    `  - { id: far, uses: core/command, with: { command: [ls, "\${{ run.id }}"], on: { ssh: "ops@\${{ inputs.host }}" } }${more} }\n`

  it('is shown by plan with what it may change and where', async () => {
    const { command } = await newStage(far())
    const { code, stdout } = await command('plan', 'test.yaml')
    expect(code).toBe(0)
    expect(stdout).toContain('runs      a command · create · web-01.prod.example · 1 call')
    expect(stdout).toContain('commands on    this machine, *.prod.example')
    const { commands } = JSON.parse((await command('plan', 'test.yaml', '-o', 'json')).stdout)
    expect(commands).toEqual({ local: true, ssh: ['*.prod.example'] })
  })

  it('is found before anything is sent, also where its other arguments are not known', async () => {
    const { command } = await newStage(far())
    for (const word of ['plan', 'run']) {
      const { code, stdout, stderr } = await command(word, 'test.yaml', '-i', 'host=db.example')
      expect({ word, code, text: stdout + stderr }).toEqual({
        word,
        code: 2,
        text: expect.stringContaining(
          'commands on db.example are not allowed by "commands.ssh" of opsbook.yaml',
        ),
      })
    }
    expect(JSON.parse((await command('runs', '-o', 'json')).stdout).runs).toEqual([])
  })

  it('is found as it is made, where only the run knows its host', async () => {
    const { command } = await newStage(
      `  - { id: host, uses: core/command, with: { command: [echo, "\${{ inputs.host }}"], safety: read } }
  - { id: far, uses: core/command, with: { command: [ls], on: { ssh: "\${{ steps.host.outputs.stdout }}" } } }\n`,
    )
    const { code, stdout } = await command('run', 'test.yaml', '-i', 'host=db.example')
    expect([code, stdout]).toEqual([1, expect.stringContaining('far: CommandNotAllowed')])
  })

  it.each(['', 'commands: {}\n', 'commands: { local: false, ssh: [] }\n'])(
    'is every command with %j in opsbook.yaml',
    async (commands) => {
      const { command } = await newStage(fails, `${commands}secrets: { token: env:TOKEN }\n`)
      for (const word of ['validate', 'plan', 'run']) {
        const { code, stdout, stderr } = await command(word, 'test.yaml')
        expect([word, code > 0, stdout + stderr]).toEqual([
          word,
          true,
          expect.stringContaining('COMMAND_NOT_ALLOWED'),
        ])
      }
    },
  )

  it.each(['-oProxyCommand=id', 'a b', '*.*.example', '*example'])(
    'opsbook.yaml takes no host %j',
    async (host) => {
      const { command } = await newStage(fails, `commands: { ssh: [${JSON.stringify(host)}] }\n`)
      const { code, stderr } = await command('validate', 'test.yaml')
      expect([code, stderr]).toEqual([2, expect.stringContaining('commands.ssh')])
    },
  )

  it('is any command in a sandbox', async () => {
    const { command } = await newStage(fails)
    const { code, stderr } = await command('run', 'test.yaml', '--sandbox')
    expect([code, stderr]).toEqual([2, expect.stringContaining('OutsideSandbox')])
  })
})

describe('a project without opsbook.yaml', () => {
  it('validates a command with a warning, and runs none', async () => {
    const { folder } = await newStage(fails)
    rmSync(join(folder, 'opsbook.yaml'))
    const words = (word: string) => opsbook([word, 'test.yaml'], { folder, env: {} })
    const { code, stdout } = await words('validate')
    expect([code, stdout]).toEqual([0, expect.stringContaining('warning COMMAND_NOT_ALLOWED')])
    const ran = await words('run')
    expect([ran.code > 0, ran.stdout + ran.stderr]).toEqual([
      true,
      expect.stringContaining('commands on this machine are not allowed'),
    ])
  })
})

it('reads a file that an earlier step of the run wrote', async () => {
  const { command } =
    await newStage(`  - { id: list, uses: core/write, save-as: hosts.txt, with: { content: "one\\ntwo\\n" } }
  - id: count
    uses: core/command
    with:
      script: 'wc -l < "$OPSBOOK_FILES/$NAME"'
      env: { NAME: "\${{ steps.list.outputs.path }}" }
      safety: read
  - { id: say, uses: core/log, with: { message: "found \${{ steps.count.outputs.stdout }} lines" } }
`)
  const { code, stdout, stderr } = await command('run', 'test.yaml', '--verbose')
  expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/found +2 lines/)])
})

describe('call', () => {
  const script = 'script=echo "$TOKEN" one; echo two >&2; exit "$CODE"'
  const given = ['-i', script, '-i', 'env={CODE: 0}', '-i', 'secret-env={TOKEN: {secret: token}}']

  it('runs one command where it is allowed, and masks its secrets', async () => {
    const { command } = await newStage(fails)
    const { code, stdout } = await command('call', 'core/command', ...given)
    expect([code, stdout]).toEqual([0, 'code: 0\nstdout: "*** one"\nstderr: two\n'])
    const failed = await command('call', 'core/command', ...given.with(3, 'env={CODE: 3}'))
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/exit code 3: two[\s\S]*stderr +two/),
    ])
  })

  it.each([
    [['-i', 'command=[ls]', '-i', 'on={ssh: db.example}'], 1, 'commands on db.example are not allowed'],
    [['-i', 'command=[ls]', '--connection', 'a'], 2, 'core/command uses no connection'],
    [['-i', 'command=[ls]', '--sandbox'], 2, 'would leave the sandbox'],
    [['-i', 'script=kill -9 $PPID'], 4, 'OutcomeUnknown'],
  ])('%o ends with exit code %i', async (more, exitCode, message) => {
    const { command } = await newStage(fails)
    const { code, stderr } = await command('call', 'core/command', ...more)
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(message)])
  })
})

describe('a stopped process', () => {
  async function stopDuring(safety: string, signal: 'SIGINT' | 'SIGTERM') {
    const sleep = uniqueSleep()
    const mark = join(await newFolder(), 'mark')
    const { folder, command } = await newStage(
      `  - { id: a, uses: core/command, with: { script: '[ -e ${mark} ] || { ${sleep} & ${sleep}; }', safety: ${safety} } }\n`,
    )
    let running: RunningCommand | undefined
    const ending = opsbook(['run', 'test.yaml'], {
      folder,
      env: { TOKEN: canary },
      onStart: (started) => {
        running = started
      },
    })
    await expect.poll(() => isRunning(sleep)).toBe(true)
    running?.signal(signal)
    await ending
    await expect.poll(() => isRunning(sleep)).toBe(false)
    return { mark, command }
  }

  it('ends its command, and resume asks what became of a create', async () => {
    const { command } = await stopDuring('create', 'SIGTERM')
    const { code, stdout } = await command('resume', 'latest')
    expect([code, stdout]).toEqual([4, expect.stringContaining('OutcomeUnknown')])
  })

  it('ends its command, and resume repeats what may be repeated', async () => {
    const { command, mark } = await stopDuring('idempotent', 'SIGINT')
    const shown = JSON.parse((await command('show', 'latest', '-o', 'json')).stdout)
    expect(shown.status).toBe('interrupted')
    writeFileSync(mark, '')
    expect((await command('resume', 'latest')).code).toBe(0)
  })
})
