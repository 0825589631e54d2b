import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { readTypedAnswer } from '../../src/cli/run/create-asker.ts'
import { systemUser } from '../../src/engine/record/index.ts'
import { type CommandResult, newFolder, opsbook, type Surroundings } from './support/opsbook.ts'

const ask = `apiVersion: opsbook/v1
name: ask
steps:
  - { id: ok, uses: core/approve, with: { message: "Publish it\\u001b[2J now?", timeout: 30m } }
  - { id: done, uses: core/log, with: { message: published } }
outputs: { by: "\${{ steps.ok.outputs.by }}", comment: "\${{ default(steps.ok.outputs.comment, 'none') }}" }
`

/** Runs a runbook in a folder of its own, or a command in a folder that is there. */
async function run(
  words: readonly string[],
  surroundings: Surroundings = {},
  text = ask,
): Promise<CommandResult> {
  const folder = surroundings.folder ?? (await newFolder({ 'ask.yaml': text }))
  const command = words[0] === 'resume' ? words : ['run', 'ask.yaml', '--sandbox', ...words]
  return opsbook([...command, '--data-dir', 'data'], { ...surroundings, folder })
}

/** A terminal at which somebody types the next of these lines each time an answer is asked for. */
function typing(lines: readonly string[], isAsked = /yes or no/): Surroundings {
  const keyboard = new PassThrough()
  let typed = 0
  return {
    isTerminal: true,
    keyboard,
    onWrite: (text) => {
      if (isAsked.test(text)) keyboard.write(`${lines[typed++] ?? ''}\n`)
    },
  }
}

/** A terminal at which nobody types. */
const silent = (): Surroundings => ({ isTerminal: true, keyboard: new PassThrough() })

/** Stops the command with Ctrl-C once it has written this. */
const stoppedAt = (words: string): Surroundings => ({
  onWrite: (text, command) => text.includes(words) && command.signal('SIGINT'),
})

test('the person at the terminal is asked, and answers as the system user, with a comment', async () => {
  const { code, stdout, stderr } = await run(['--output', 'json'], typing(['perhaps', 'yes, it looks fine']))
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout).outputs).toEqual({ by: systemUser(), comment: 'it looks fine' })
  expect(stripVTControlCharacters(stderr)).toContain('ok asks (within 30m):\n  Publish it\\x1b[2J now?\n')
  expect(stderr.match(/yes or no/g)).toHaveLength(2)
  expect(stderr).toContain('"perhaps" is neither yes nor no')
})

test('a long question is broken between words', async () => {
  const words = Array.from({ length: 40 }, (_, index) => `word-${index}`)
  const long = ask.replace(/message: "[^"]*"/, `message: "${words.join(' ')}"`)
  const { stderr } = await run([], typing(['y']), long)
  const asked = stripVTControlCharacters(stderr).split(' asks (within 30m):\n')[1] ?? ''
  const lines = asked.split('\n  yes or no')[0]?.split('\n') ?? []
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.map((line) => line.trim()).join(' ')).toBe(words.join(' '))
})

test('no is a rejection: the run fails, with the exit code of a cancellation', async () => {
  const { code, stdout } = await run([], typing(['n too early']))
  expect(code).toBe(3)
  expect(stdout).toContain('ok: ApprovalRejected  rejected by')
  expect(stdout).toContain('too early')
})

test('--yes approves everything in advance, and says so', async () => {
  const { code, stdout, stderr } = await run(['--yes'])
  expect(code).toBe(0)
  expect(stdout).toContain(`by: ${systemUser()}`)
  expect(stdout).toMatch(/comment: .*in advance/)
  expect(stderr).toContain('--yes: everything is approved in advance')
  expect(stderr).toMatch(/ok: approved by .*in advance/)
  expect(stderr).toContain('ok: asks: ')
  expect(stderr).not.toContain('waits for a person')
})

test.each([
  ['aloud', []],
  ['quietly', ['--quiet']],
])('without a terminal the run waits, and says which command will answer: %s', async (_, words) => {
  const { code, stdout, stderr } = await run(words, stoppedAt('no terminal to ask on'))
  expect(code).toBe(130)
  expect(stderr).toMatch(
    /"opsbook approve run_\S+ ok --data-dir data" or "opsbook reject run_\S+ ok --data-dir data"/,
  )
  expect(stdout).toContain('\nInterrupted.\nTo continue:\n  opsbook resume')
})

test('Ctrl-C at a question stops the run; the question stays open and is asked again when it goes on', async () => {
  const folder = await newFolder({ 'ask.yaml': ask })
  const stopped = await run([], { ...silent(), ...stoppedAt('yes or no'), folder })
  expect(stopped.code).toBe(130)
  expect(stopped.stderr).toContain('the question stays open')
  expect(stopped.stderr).toMatch(/"opsbook resume run_\S+ --data-dir data" continues it, /)
  expect(stopped.stderr).not.toContain('withdrawn')
  const resumed = await run(['resume', 'latest'], { ...typing(['y']), folder })
  expect(resumed.code, resumed.stderr).toBe(0)
  expect(resumed.stdout).toContain(`by: ${systemUser()}`)
})

test('who is asked here, and does not answer in time, sees what counts instead', async () => {
  const folder = await newFolder({
    'ask.yaml': `apiVersion: opsbook/v1
name: ask
steps:
  - { id: ok, uses: core/approve, with: { message: Go?, from: { count: 2 }, timeout: 1s, on-timeout: approve } }
  - { id: late, uses: core/approve, with: { message: Go on?, timeout: 1s } }
`,
    'opsbook.yaml': 'people: { trust: [system-user] }\n',
  })
  const { stderr } = await run([], { ...silent(), folder })
  const text = stripVTControlCharacters(stderr)
  expect(text).toContain('Go?\n  from anyone with a verified name: 2 people must answer')
  expect(text.match(/the time for an answer is over\n/g)).toHaveLength(2)
})

test('who is asked here, and answered elsewhere, sees by whom and what', async () => {
  const folder = await newFolder({ 'ask.yaml': ask })
  const answered: Promise<CommandResult>[] = []
  const { code, stderr } = await run([], {
    ...silent(),
    folder,
    onWrite: (text) => {
      if (!text.includes('yes or no') || answered.length > 0) return
      const words = ['approve', 'latest', 'ok', '--by', 'ada', '--comment', 'read it', '--data-dir', 'data']
      answered.push(opsbook(words, { folder }))
    },
  })
  expect((await answered[0])?.code).toBe(0)
  expect(code).toBe(0)
  expect(stripVTControlCharacters(stderr)).toMatch(/answered elsewhere: approved by ada.*: read it/)
  expect(stderr).not.toContain('the question was withdrawn')
})

test('an input that is closed leaves the question open', async () => {
  const keyboard = new PassThrough()
  const { code, stderr } = await run([], {
    isTerminal: true,
    keyboard,
    onWrite(text, command) {
      if (text.includes('yes or no')) keyboard.end()
      if (text.includes('stays open')) command.signal('SIGINT')
    },
  })
  expect(code).toBe(130)
  expect(stderr).toContain('no answer here; the question stays open')
})

test('two questions at the same time are asked one after the other', async () => {
  const branch = (id: string): string =>
    `      - { id: ${id}, uses: core/approve, with: { message: "${id}?" } }\n`
  const text = `apiVersion: opsbook/v1\nname: two\nsteps:\n  - id: both\n    parallel:\n${branch('one')}${branch('other')}`
  const { code, stderr } = await run(['--quiet'], typing(['yes', 'yes']), text)
  expect(code, stderr).toBe(0)
  expect(stripVTControlCharacters(stderr).match(/both\/\w+ asks:|yes or no/g)).toEqual([
    'both/one asks:',
    'yes or no',
    'both/other asks:',
    'yes or no',
  ])
})

test.each([
  ['y', { approved: true }],
  ['YES', { approved: true }],
  ['yes, it is fine ', { approved: true, comment: 'it is fine' }],
  ['n: too early', { approved: false, comment: 'too early' }],
  [' no ', { approved: false }],
  ['', undefined],
  ['yesterday', undefined],
  ['ok', undefined],
])('the line "%s"', (line, answer) => {
  expect(readTypedAnswer(line)).toEqual(answer)
})

const fields = `apiVersion: opsbook/v1
name: ask
steps:
  - id: which
    uses: core/ask
    with:
      message: Which hosts?
      answer: { type: object, required: [hosts], properties: { hosts: { type: array, items: { type: string } }, n: { type: integer } } }
      choices: { hosts: [web-01, web-02] }
outputs: { hosts: "\${{ steps.which.outputs.answer.hosts }}", n: "\${{ default(steps.which.outputs.answer.n, 0) }}" }
`

/** The line that asks for one field. */
const field = /^ {2}(?:hosts|n) \(.*\): $/

test('values are asked field by field, and each is checked before the next', async () => {
  const lines = ['db-09', 'web-01, web-02', 'many', '3']
  const { code, stdout, stderr } = await run(['--output', 'json'], typing(lines, field), fields)
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout).outputs).toEqual({ hosts: ['web-01', 'web-02'], n: 3 })
  expect(stderr).toContain('answer.hosts[0]: "db-09" is none of the choices: web-01, web-02')
  expect(stderr).toContain('answer.n: must be a whole number, not the text "many"')
})

test.each(['run', 'start'])(
  '%s --yes is refused before the first call where a step asks for values without a default',
  async (command) => {
    const folder = await newFolder({ 'ask.yaml': fields })
    const { code, stderr } = await opsbook([command, 'ask.yaml', '--yes', '--data-dir', 'data'], { folder })
    expect(code).toBe(2)
    expect(stderr).toContain('these steps ask for values without a default: which')
  },
)

test('--yes is taken where the inputs skip the step that asks', async () => {
  const skipped = fields
    .replace('steps:', 'inputs: { properties: { known: { type: boolean } } }\nsteps:')
    .replace('    uses: core/ask', '    if: ${{ !default(inputs.known, false) }}\n    uses: core/ask')
    .replace(/^outputs.*$/m, '')
  const folder = await newFolder({ 'ask.yaml': skipped })
  const words = ['run', 'ask.yaml', '--yes', '--data-dir', 'data']
  expect((await opsbook(words, { folder })).code).toBe(2)
  expect(await opsbook([...words, '--input', 'known=true'], { folder })).toMatchObject({ code: 0 })
})

test('resume --yes asks for values all the same, and says so', async () => {
  const folder = await newFolder({ 'ask.yaml': fields })
  const stopped = { folder, ...stoppedAt('waits for "opsbook answer') }
  await run([], stopped)
  const { stderr } = await run(['resume', 'latest', '--yes'], stopped)
  expect(stderr).toContain('--yes: approved in advance, except which (asks for values without a default)')
})

test('resume --yes names no step that was answered', async () => {
  const folder = await newFolder({
    'ask.yaml': fields.replace(
      'outputs:',
      '  - { id: fail, uses: core/fail, with: { code: STOP, message: stop } }\noutputs:',
    ),
  })
  const asked = await run([], { ...typing(['web-01', '3'], field), folder })
  expect(asked.code, asked.stderr).toBe(1)
  const { stderr } = await run(['resume', 'latest', '--yes'], { folder })
  expect(stderr).toContain('--yes: everything is approved in advance; Ctrl-C stops')
})

test('--yes says which steps wait for the people that they name', async () => {
  const text = ask.replace('timeout: 30m', 'from: { count: 2 }')
  const folder = await newFolder({ 'ask.yaml': text })
  const { stderr } = await run(['--yes'], { folder, ...stoppedAt('waits for "opsbook approve') })
  expect(stderr).toContain('--yes: approved in advance, except ok (says who may answer)')
  expect(stderr).not.toContain('approved by')
  const approved = await opsbook(['approve', 'latest', 'ok', '--data-dir', 'data'], { folder })
  expect(approved.code).toBe(2)
  expect(approved.stderr).toContain('counts verified names only')
})
