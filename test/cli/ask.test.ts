import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { readAnswer } from '../../src/cli/run/create-asker.ts'
import { systemUser } from '../../src/engine/embedded/index.ts'
import { type CommandResult, newFolder, opsbook, type Surroundings } from './support/opsbook.ts'

const ask = `apiVersion: opsbook/v1
name: ask
steps:
  - { id: ok, uses: core/approve, with: { message: "Publish it\\u001b[2J now?", timeout: 30m } }
  - { id: done, uses: core/log, with: { message: published } }
outputs: { by: "\${{ steps.ok.outputs.by }}", comment: "\${{ default(steps.ok.outputs.comment, 'none') }}" }
`

async function run(words: readonly string[], surroundings: Surroundings): Promise<CommandResult> {
  const folder = await newFolder({ 'ask.yaml': ask })
  return opsbook(['run', 'ask.yaml', '--sandbox', '--data-dir', 'data', ...words], {
    ...surroundings,
    folder,
  })
}

/** Types one line for each time an answer is asked for. */
function typing(...lines: readonly string[]): Surroundings {
  const keyboard = new PassThrough()
  let typed = 0
  return {
    isTerminal: true,
    keyboard,
    onWrite: (text) => {
      if (text.includes('yes or no')) keyboard.write(`${lines[typed++] ?? ''}\n`)
    },
  }
}

test('the person at the terminal is asked, and answers as the system user, with a comment', async () => {
  const { code, stdout, stderr } = await run(['--output', 'json'], typing('perhaps', 'yes, it looks fine'))
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout).outputs).toEqual({ by: systemUser(), comment: 'it looks fine' })
  expect(stripVTControlCharacters(stderr)).toContain('ok asks (within 30m):\n  Publish it\\x1b[2J now?\n')
  expect(stderr.match(/yes or no/g)).toHaveLength(2)
  expect(stderr).toContain('"perhaps" is neither yes nor no')
})

test('a long question is broken between words', async () => {
  const words = Array.from({ length: 40 }, (_, index) => `word-${index}`)
  const long = ask.replace(/message: "[^"]*"/, `message: "${words.join(' ')}"`)
  const folder = await newFolder({ 'long.yaml': long })
  const { stderr } = await opsbook(['run', 'long.yaml', '--sandbox', '--data-dir', 'data'], {
    ...typing('y'),
    folder,
  })
  const asked = stripVTControlCharacters(stderr).split(' asks (within 30m):\n')[1] ?? ''
  const lines = asked.split('\n  yes or no')[0]?.split('\n') ?? []
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.map((line) => line.trim()).join(' ')).toBe(words.join(' '))
})

test('no is a rejection: the run fails, with the exit code of a cancellation', async () => {
  const { code, stdout } = await run([], typing('n too early'))
  expect(code).toBe(3)
  expect(stdout).toContain('ok: ApprovalRejected  rejected by')
  expect(stdout).toContain('too early')
})

test('--yes approves everything in advance, and says so', async () => {
  const { code, stdout, stderr } = await run(['--yes'], {})
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
  const { code, stdout, stderr } = await run(words, {
    onWrite: (text, command) => text.includes('no terminal to ask on') && command.signal('SIGINT'),
  })
  expect(code).toBe(130)
  expect(stderr).toMatch(
    /"opsbook approve run_\S+ ok --data-dir data" or "opsbook reject run_\S+ ok --data-dir data"/,
  )
  expect(stdout).toContain('\nInterrupted.\nTo continue:\n  opsbook resume')
})

test('Ctrl-C at a question stops the run; the question stays open and is asked again when it goes on', async () => {
  const folder = await newFolder()
  await writeFile(join(folder, 'ask.yaml'), ask)
  const stopped = await opsbook(['run', 'ask.yaml', '--sandbox', '--data-dir', 'data'], {
    folder,
    isTerminal: true,
    keyboard: new PassThrough(),
    onWrite: (text, command) => text.includes('yes or no') && command.signal('SIGINT'),
  })
  expect(stopped.code).toBe(130)
  expect(stopped.stderr).toContain('the question stays open')
  expect(stopped.stderr).toMatch(/"opsbook resume run_\S+ --data-dir data" continues it, /)
  expect(stopped.stderr).not.toContain('withdrawn')
  const resumed = await opsbook(['resume', 'latest', '--data-dir', 'data'], { ...typing('y'), folder })
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
  const { stderr } = await opsbook(['run', 'ask.yaml', '--sandbox', '--data-dir', 'data'], {
    folder,
    isTerminal: true,
    keyboard: new PassThrough(),
  })
  const text = stripVTControlCharacters(stderr)
  expect(text).toContain('Go?\n  from anyone with a verified name: 2 people must answer')
  expect(text.match(/the time for an answer is over\n/g)).toHaveLength(2)
})

test('who is asked here, and answered elsewhere, sees by whom and what', async () => {
  const folder = await newFolder({ 'ask.yaml': ask })
  const answered: Promise<CommandResult>[] = []
  const { code, stderr } = await opsbook(['run', 'ask.yaml', '--sandbox', '--data-dir', 'data'], {
    folder,
    isTerminal: true,
    keyboard: new PassThrough(),
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
  const folder = await newFolder({ 'two.yaml': text })
  const words = ['run', 'two.yaml', '--sandbox', '--data-dir', 'data', '--quiet']
  const { code, stderr } = await opsbook(words, { ...typing('yes', 'yes'), folder })
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
  expect(readAnswer(line)).toEqual(answer)
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

test('values are asked field by field, and each is checked before the next', async () => {
  const folder = await newFolder({ 'ask.yaml': fields })
  const keyboard = new PassThrough()
  const lines = ['db-09', 'web-01, web-02', 'many', '3']
  const { code, stdout, stderr } = await opsbook(
    ['run', 'ask.yaml', '--sandbox', '--data-dir', 'data', '--output', 'json'],
    {
      isTerminal: true,
      keyboard,
      onWrite: (text) => {
        if (/^ {2}(?:hosts|n) \(.*\): $/.test(text)) keyboard.write(`${lines.shift() ?? ''}\n`)
      },
      folder,
    },
  )
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout).outputs).toEqual({ hosts: ['web-01', 'web-02'], n: 3 })
  expect(stderr).toContain('answer.hosts[0]: "db-09" is none of the choices: web-01, web-02')
  expect(stderr).toContain('answer.n: must be a whole number, not the text "many"')
})

test('--yes is refused before the first call where a step asks for values without a default', async () => {
  const folder = await newFolder({ 'ask.yaml': fields })
  const { code, stderr } = await opsbook(['run', 'ask.yaml', '--yes', '--data-dir', 'data'], { folder })
  expect(code).toBe(2)
  expect(stderr).toContain('these steps ask for values without a default: which')
})

test('start --yes is refused in the same way', async () => {
  const folder = await newFolder({ 'ask.yaml': fields })
  const { code, stderr } = await opsbook(['start', 'ask.yaml', '--yes', '--data-dir', 'data'], { folder })
  expect(code).toBe(2)
  expect(stderr).toContain('these steps ask for values without a default: which')
})

test('resume --yes asks for values all the same, and says so', async () => {
  const folder = await newFolder({ 'ask.yaml': fields })
  const untilAsked: Surroundings = {
    folder,
    onWrite: (text, command) => text.includes('waits for "opsbook answer') && command.signal('SIGINT'),
  }
  await opsbook(['run', 'ask.yaml', '--sandbox', '--data-dir', 'data'], untilAsked)
  const { stderr } = await opsbook(['resume', 'latest', '--yes', '--data-dir', 'data'], untilAsked)
  expect(stderr).toContain('--yes: approved in advance, except which (asks for values without a default)')
})

test('resume --yes names no step that was answered', async () => {
  const folder = await newFolder({
    'ask.yaml': fields.replace(
      'outputs:',
      '  - { id: fail, uses: core/fail, with: { code: STOP, message: stop } }\noutputs:',
    ),
  })
  const keyboard = new PassThrough()
  const asked = await opsbook(['run', 'ask.yaml', '--sandbox', '--data-dir', 'data'], {
    isTerminal: true,
    keyboard,
    onWrite: (text) => {
      if (/^ {2}(?:hosts|n) \(.*\): $/.test(text)) keyboard.write(text.includes('hosts') ? 'web-01\n' : '3\n')
    },
    folder,
  })
  expect(asked.code, asked.stderr).toBe(1)
  const { stderr } = await opsbook(['resume', 'latest', '--yes', '--data-dir', 'data'], { folder })
  expect(stderr).toContain('--yes: everything is approved in advance; Ctrl-C stops')
})

test('--yes says which steps wait for the people that they name', async () => {
  const text = ask.replace('timeout: 30m', 'from: { count: 2 }')
  const folder = await newFolder({ 'ask.yaml': text })
  const { stderr } = await opsbook(['run', 'ask.yaml', '--yes', '--sandbox', '--data-dir', 'data'], {
    folder,
    onWrite: (text, command) => text.includes('waits for "opsbook approve') && command.signal('SIGINT'),
  })
  expect(stderr).toContain('--yes: approved in advance, except ok (says who may answer)')
  expect(stderr).not.toContain('approved by')
  const approved = await opsbook(['approve', 'latest', 'ok', '--data-dir', 'data'], { folder })
  expect(approved.code).toBe(2)
  expect(approved.stderr).toContain('counts verified names only')
})
