import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const text = `apiVersion: opsbook/v1
name: hello
steps:
  - { id: file, uses: core/write, with: { content: hello }, save-as: hello.txt }
`

test('prune says what it would remove, removes it, and says what is gone', async () => {
  const folder = await newFolder({ 'hello.yaml': text })
  const command = (...words: readonly string[]) => opsbook([...words, '--data-dir', 'data'], { folder })
  const { stdout } = await command('run', 'hello.yaml', '--sandbox', '-o', 'json', '-q')
  const { run_id } = JSON.parse(stdout)
  expect((await command('prune')).stdout).toMatch(/^no run to remove ended before \d{4}-\S+ \S+\n$/)

  const dry = await command('prune', '--older-than', '0s', '--dry-run')
  expect(dry.stdout).toMatch(
    new RegExp(
      `^ {2}${run_id} {2}hello {2}succeeded {2}\\d{4}-.* {2}5 B\n\nwould remove 1 run .* 5 B of files\n$`,
    ),
  )
  expect((await command('show', run_id)).code).toBe(0)

  const gone = await command(
    'prune',
    '--older-than',
    '0s',
    '--runbook',
    'hello',
    '--status',
    'succeeded,failed',
  )
  expect(gone.stdout).toMatch(/\nremoved 1 run that ended before .*: 5 B of files, \d.* of the database\n$/)
  expect((await command('show', run_id)).code).toBe(2)
  const document = await command('prune', '--older-than', '0s', '-o', 'json')
  expect(JSON.parse(document.stdout)).toEqual({
    events: 0,
    is_dry_run: false,
    ended_before: expect.any(String),
    runs: [],
    in_use: [],
    database_bytes: expect.any(Number),
  })
})

test.each([
  [['--older-than', 'yesterday'], '--older-than takes a duration such as 12h or 30d, not "yesterday"'],
  [['--status', 'succeded'], 'did you mean "succeeded"?'],
  [['--status', 'running'], 'a run that is running is open, and is never removed'],
])('prune %j is wrong usage', async (words, message) => {
  const { code, stdout, stderr } = await opsbook(['prune', ...words], { folder: await newFolder() })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
})

test('prune on Temporal says what removes runs there, and asks no server', async () => {
  const { code, stdout, stderr } = await opsbook(['prune', '--older-than', '1d', '--engine', 'temporal'], {
    folder: await newFolder(),
    // A command that asked it would end with exit code 5.
    env: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
  })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('the server removes a run when the retention of its namespace has passed')
  expect(stderr).toContain('temporal operator namespace update --namespace NAME --retention 30d')
  expect(stderr).toContain('docs/temporal.md#old-runs-and-their-files')
})

test('prune where there are no runs yet has nothing to do', async () => {
  const { code, stdout } = await opsbook(['prune', '--data-dir', 'data'], { folder: await newFolder() })
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no run to remove ended before'),
  })
})
