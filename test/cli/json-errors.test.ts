import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const runbook = 'apiVersion: opsbook/v1\nname: good\nsteps: [{ id: a, uses: core/set, with: { a: 1 } }]\n'
const files = {
  'good.yaml': runbook,
  'bad.yaml': 'apiVersion: opsbook/v1\n',
  'binary.yaml': '\0\u0001binary',
  'asks.yaml': runbook.replace('name: good', 'name: asks\ninputs: { type: object, required: [host] }'),
}

/** Nothing is sent for any of them, and each says what to do where something can be done. */
test.each([
  { words: ['show', 'nope'], code: 'RunNotFound', exit: 2, hint: 'opsbook runs' },
  { words: ['show', ''], code: 'InvalidUsage', exit: 2, message: 'the id of the run is empty' },
  { words: ['run', 'nope'], code: 'RunbookNotFound', exit: 2, hint: 'runbooks by name' },
  { words: ['run', ''], code: 'InvalidUsage', exit: 2, message: 'the name of the runbook is empty' },
  { words: ['run', '.'], code: 'RunbookNotFound', exit: 2, message: '. is a folder' },
  { words: ['run', 'bad.yaml', '--sandbox'], code: 'InvalidRunbook', exit: 2, message: 'nothing was sent' },
  {
    words: ['run', 'binary.yaml', '--sandbox'],
    code: 'InvalidRunbook',
    exit: 2,
    finding: 'the file is binary',
  },
  { words: ['run', 'asks.yaml', '--sandbox'], code: 'InvalidInput', exit: 2, hint: 'host' },
  {
    words: ['run', 'good.yaml', '--inputs-file', 'binary.yaml'],
    code: 'InvalidUsage',
    exit: 2,
    message: 'not a text file',
  },
  {
    words: ['run', 'good.yaml', '--inputs-file', '.'],
    code: 'InvalidUsage',
    exit: 2,
    message: 'it is a folder',
  },
  { words: ['run', 'good.yaml', '-i', '=3'], code: 'InvalidUsage', exit: 2, hint: 'host=web-01' },
  { words: ['run', 'good.yaml', '--nope'], code: 'InvalidUsage', exit: 2, hint: '--help' },
  { words: ['run', 'good.yaml', '--connection', 'nope'], code: 'ConnectionNotFound', exit: 2 },
  {
    words: ['run', 'good.yaml', '--sandbox', '--data-dir', 'good.yaml'],
    code: 'DataDirUnusable',
    exit: 5,
    message: 'a file of this name is in the way',
  },
  { words: ['runs', '--since', 'yesterday'], code: 'InvalidUsage', exit: 2, message: '2026-01-31T14:00:00Z' },
  { words: ['runs', '--until', 'tomorrow'], code: 'InvalidUsage', exit: 2, message: '--until' },
  { words: ['runs', '--status', 'nope'], code: 'InvalidUsage', exit: 2, hint: 'paused' },
  { words: ['runs', '-n', '0'], code: 'InvalidUsage', exit: 2, message: 'a whole number from 1' },
  { words: ['actions', 'nope'], code: 'ActionNotFound', exit: 2, hint: 'core/http' },
  {
    words: ['call', 'monit/tools/invoke', '--sandbox'],
    code: 'InvalidInput',
    exit: 2,
    hint: 'target_locator',
  },
  { words: ['events', 'show', 'nope'], code: 'EventNotFound', exit: 2, hint: 'opsbook events' },
  { words: ['prune', '--older-than', '3x'], code: 'InvalidUsage', exit: 2, message: 'such as 12h' },
  { words: ['nope'], code: 'InvalidUsage', exit: 2, hint: 'known commands: ' },
  {
    words: ['schedules', 'trigger', 'nope'],
    code: 'InvalidInput',
    exit: 2,
    message: 'there is no schedule nope',
  },
])(
  'with --output json an error has a code: $words',
  async ({ words, code, exit, message, hint, finding }) => {
    const folder = await newFolder(files)
    await opsbook(['run', 'good.yaml', '--sandbox', '-q'], { folder })
    const result = await opsbook([...words, '-o', 'json'], { folder })
    const { error, exit_code: exitCode } = JSON.parse(result.stdout)
    expect({ code: error.code, exitCode, really: result.code }).toEqual({
      code,
      exitCode: exit,
      really: exit,
    })
    expect(error.message).toContain(message ?? '')
    expect(error.hints.join('\n')).toContain(hint ?? '')
    expect(error.diagnostics?.[0].message ?? '').toContain(finding ?? '')
  },
)

test('the findings about runbooks are those of validate, with their file', async () => {
  const folder = await newFolder(files)
  const findings = async (words: readonly string[]) =>
    JSON.parse((await opsbook([...words, '-o', 'json'], { folder })).stdout)
  const { files: checked } = await findings(['validate', 'bad.yaml'])
  const { error } = await findings(['run', 'bad.yaml'])
  const own = checked[0].diagnostics
  expect(own.length).toBeGreaterThan(0)
  expect(error.diagnostics).toEqual(own.map((one: object) => ({ ...one, file: 'bad.yaml' })))
  expect(error.details).toBeUndefined()
})
