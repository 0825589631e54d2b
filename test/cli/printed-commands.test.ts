import { execFileSync } from 'node:child_process'
import { describe, expect, it, onTestFinished, type TestContext, test } from 'vitest'
import { shellWord } from '../../src/core/text/shell-word.ts'
import { newFolder, opsbook, type RunningCommand } from './support/opsbook.ts'

const head = 'apiVersion: opsbook/v1\n'
const ask = `${head}name: ask\nsteps:
  - id: hosts
    for-each: { items: [a] }
    uses: core/approve
    with: { message: "Go on?" }
`
const failing = `${head}name: failing\nsteps:
  - { id: fine, uses: core/set, with: { a: 1 } }
  - { id: bad, uses: core/assert, with: { that: ["\${{ 1 == 2 }}"] } }
  - { id: last, uses: core/log, with: { message: bye } }
`

/** The words that a shell makes of a part of a command line. */
function wordsIn(shell: string, text: string, { skip }: TestContext): readonly string[] {
  // Without the settings of whoever runs the tests.
  const options = shell === 'zsh' ? ['-f', '-o', 'nomatch'] : ['--norc']
  try {
    const given = [...options, '-c', `printf '%s\\0' ${text}`]
    return execFileSync(shell, given, { encoding: 'utf8' }).split('\0').slice(0, -1)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') skip(`there is no ${shell} here`)
    throw thrown
  }
}

const given = [
  'app[11]',
  'a b',
  "it's",
  '=x',
  '~',
  '$HOME',
  '*',
  '^x',
  '#x',
  '{a,b}',
  '<(a)',
  '1-2',
  'a:b',
  '',
]

describe.each(['bash', 'zsh'])('in %s', (shell) => {
  it.for(given)('a word that the shell could change is quoted: %s', (word, context) => {
    expect(wordsIn(shell, shellWord(word), context)).toEqual([word])
  })
})

/** Runs that wait for an answer, in this process. */
async function waiting(count: number): Promise<{ folder: string; ids: readonly string[]; stderr(): string }> {
  const folder = await newFolder({ 'ask.yaml': ask })
  let stderr = ''
  const running: RunningCommand[] = []
  const ended = Array.from({ length: count }, () =>
    opsbook(['run', 'ask.yaml', '--data-dir', 'data dir'], {
      folder,
      onStart: (command) => void running.push(command),
      onWrite: (text) => {
        stderr += text
      },
    }),
  )
  onTestFinished(async () => {
    for (const one of running) one.signal('SIGTERM')
    await Promise.all(ended)
  })
  const list = async () => {
    const { stdout } = await opsbook(
      ['runs', '--status', 'waiting', '-o', 'json', '--data-dir', 'data dir'],
      { folder },
    )
    return JSON.parse(stdout).runs.map(({ run_id }: { run_id: string }) => run_id) as string[]
  }
  await expect.poll(list).toHaveLength(count)
  return { folder, ids: await list(), stderr: () => stderr }
}

describe('a run that waits', () => {
  it.for(['bash', 'zsh'])('prints commands that can be pasted into %s', async (shell, context) => {
    const { folder, ids, stderr } = await waiting(1)
    const place = "--data-dir 'data dir'"
    await expect.poll(stderr).toContain(`"opsbook approve ${ids[0]} 'hosts[0]' ${place}"`)
    const shown = await opsbook(['show', 'latest', '--data-dir', 'data dir'], { folder })
    const [command] = /opsbook approve .*/.exec(shown.stdout) ?? []
    expect(command).toMatch(`opsbook approve ${ids[0]} 'hosts[0]' --shown 1-`)
    expect(command).toContain(place)
    const words = wordsIn(shell, String(command), context)
    expect((await opsbook(words.slice(1), { folder })).code).toBe(0)
  })

  it('is not meant by "latest" where another one waits, too', async () => {
    const { folder, ids } = await waiting(2)
    for (const words of [
      ['approve', 'latest', 'hosts'],
      ['reject', 'latest', 'hosts'],
      ['cancel', 'latest'],
    ]) {
      const { code, stderr } = await opsbook([...words, '--data-dir', 'data dir'], { folder })
      expect(code).toBe(2)
      expect(stderr).toContain('"latest" could be any of 2 runs')
      for (const id of ids) expect(stderr).toContain(id)
    }
    expect((await opsbook(['show', 'latest', '--data-dir', 'data dir'], { folder })).code).toBe(0)
    expect(
      (await opsbook(['reject', ids[0] ?? '', 'hosts', '--data-dir', 'data dir'], { folder })).code,
    ).toBe(0)
  })

  it('and is paused is continued by unpause, as resume says', async () => {
    const { folder, ids } = await waiting(1)
    const command = (...words: string[]) => opsbook([...words, '--data-dir', 'data dir'], { folder })
    expect((await command('pause', 'latest')).code).toBe(0)
    const { code, stderr } = await command('resume', 'latest')
    expect(code).toBe(5)
    expect(stderr).toContain(`${ids[0]} is paused`)
    expect(stderr).toContain(`opsbook unpause ${ids[0]}`)
    expect((await command('unpause', 'latest')).code).toBe(0)
  })
})

test('resume --dry-run without a change shows what resume does, and does nothing', async () => {
  const folder = await newFolder({ 'failing.yaml': failing })
  const command = (...words: string[]) => opsbook([...words, '--data-dir', 'data'], { folder })
  expect((await command('run', 'failing.yaml', '-q')).code).toBe(1)
  const { code, stdout } = await command('resume', 'latest', '--dry-run')
  expect(code).toBe(0)
  expect(stdout).toMatch(/reused +fine +core\/set/)
  expect(stdout).toMatch(/to do +bad +core\/assert +tried again: AssertionFailed/)
  expect(stdout).toMatch(/to do +last +core\/log/)
  const { steps } = JSON.parse((await command('resume', 'latest', '--dry-run', '-o', 'json')).stdout)
  expect(steps).toMatchObject([{ fate: 'reused' }, { fate: 'to-do' }, { fate: 'to-do' }])
  expect(JSON.parse((await command('show', 'latest', '-o', 'json')).stdout)).toMatchObject({ resumes: [] })
})

const counted = [
  {
    name: 'failed',
    loop: `for-each: { items: [1, 1, 2] }
    uses: core/assert
    with: { that: ["\${{ item < 2 }}"] }`,
    row: /to do +hosts +core\/assert +2 of 3 items reused, tried again: TooManyFailures\n/,
  },
  {
    name: 'was interrupted',
    loop: `for-each: { items: [1ms, 1ms, 1h] }
    steps: [{ id: wait, uses: core/wait, with: { for: "\${{ item }}" } }]`,
    row: /to do +hosts\/wait +core\/wait +2 of 3 items reused\n/,
  },
] as const

test.each(counted)(
  'resume --dry-run without a change counts what is reused of a loop that $name',
  async ({ loop, row }) => {
    const folder = await newFolder({ 'loop.yaml': `${head}name: loop\nsteps:\n  - id: hosts\n    ${loop}\n` })
    await opsbook(['run', 'loop.yaml', '--data-dir', 'data'], {
      folder,
      onWrite: (text, { signal }) => {
        if (text.includes('hosts[2]/wait (1h): waits')) signal('SIGINT')
      },
    })
    const { stdout } = await opsbook(['resume', 'latest', '--dry-run', '--data-dir', 'data'], { folder })
    expect(stdout).toMatch(row)
  },
)

test.each([
  {
    words: ['show', 'nope'],
    code: 2,
    error: { message: 'there is no run "nope"', hints: [expect.any(String), expect.any(String)] },
  },
  { words: ['run', 'gone.yaml'], code: 2, error: { message: expect.stringContaining('gone.yaml') } },
  {
    words: ['run', 'failing.yaml', '-i', 'a=1'],
    code: 2,
    error: { message: expect.stringContaining('do not fit') },
  },
  {
    words: ['runs', '--nope'],
    code: 2,
    error: { message: expect.stringContaining("unknown option '--nope'") },
  },
  { words: ['resume', 'RUN', '--repeat', 'nope'], code: 2, error: { code: 'InvalidInput' } },
])('with --output json an error is JSON: $words', async ({ words, code, error }) => {
  const folder = await newFolder({ 'failing.yaml': failing })
  const place = ['--data-dir', 'data']
  const made = await opsbook(['run', 'failing.yaml', '-q', '-o', 'json', ...place], { folder })
  const given = words.map((word) => word.replace('RUN', JSON.parse(made.stdout).run_id))
  const result = await opsbook([...given, '-o', 'json', ...(words[0] === 'runs' ? [] : place)], { folder })
  expect(result.code).toBe(code)
  expect(JSON.parse(result.stdout)).toMatchObject({ error, exit_code: code })
  expect(result.stderr).toContain('error: ')
})
