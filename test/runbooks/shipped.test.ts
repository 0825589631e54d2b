import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { startSandbox } from 'opsbook/sandbox'
import { describe, expect, it, type TestContext } from 'vitest'
import { parse } from 'yaml'
import { opsbook, type Surroundings } from '../cli/support/opsbook.ts'
import type { RunbookCase } from './runbook-case.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const shipped = readdirSync(new URL('runbooks/', root)).toSorted()

describe.each(shipped)('%s', (file) => {
  const path = `test/cases/runbooks/${file}`
  const cases = existsSync(new URL(path, root))
    ? (parse(read(path), { merge: true }) as readonly RunbookCase[])
    : []

  it('has runs that go well, and others', () => {
    const wentWell = cases.filter(({ status, refused }) => (status ?? refused) === undefined)
    expect(wentWell.length).toBeGreaterThan(0)
    expect(cases.length).toBeGreaterThan(wentWell.length)
  })

  it('is told about', () => {
    const name = file.replace('.yaml', '')
    expect(read('docs/runbooks.md')).toContain(`\n## ${name}\n`)
    expect(read('README.md')).toContain(`(docs/runbooks.md#${name})`)
    const inputs = Object.keys((parse(read(`runbooks/${file}`)) as ShippedRunbook).inputs.properties)
    const rows =
      sectionOf(name)
        .match(/^\| `.*$/gm)
        ?.join('\n') ?? ''
    expect(inputs.filter((input) => !rows.includes(`\`${input}\``))).toEqual([])
  })

  it('is run as its page says', async ({ onTestFinished }) => {
    const folder = await newFolder(onTestFinished)
    await symlink(fileURLToPath(new URL('runbooks', root)), join(folder, 'runbooks'))
    const commands = commandsOf(sectionOf(file.replace('.yaml', '')))
    expect(commands).toEqual([expect.arrayContaining(['run', `runbooks/${file}`, '--sandbox'])])
    for (const words of commands) {
      const { code, stderr } = await opsbook([...words, '--data-dir', 'data'], { folder })
      expect(code, stderr).toBe(0)
    }
  })

  it('describes itself and every input', () => {
    const { title, description, inputs } = parse(read(`runbooks/${file}`)) as ShippedRunbook
    expect([title, description, inputs.additionalProperties]).toEqual([
      expect.any(String),
      expect.any(String),
      false,
    ])
    for (const [name, schema] of Object.entries(inputs.properties)) {
      expect(schema.description, name).toMatch(/\w.*\.$/)
      expect('default' in schema || Array.isArray(schema.examples) || 'enum' in schema, name).toBe(true)
    }
  })

  // Most of their time is waiting: for the pause before a repeat, for the disk.
  it.concurrent.for(cases)('$name', async (runbookCase, { onTestFinished }) => {
    await check(file, runbookCase, onTestFinished)
  })
})

it('none has findings', async () => {
  const { code, stdout } = await opsbook(['validate', '--max-warnings', '0', ...shipped.map(pathOf)])
  expect(code, stdout).toBe(0)
  expect(stdout).toContain(`${shipped.length} files checked`)
})

it('no case is about a runbook that is not shipped', () => {
  expect(readdirSync(new URL('test/cases/runbooks/', root)).toSorted()).toEqual(shipped)
})

function sectionOf(name: string): string {
  const [, section = ''] = read('docs/runbooks.md').split(`\n## ${name}\n`)
  return section.split('\n## ')[0] ?? ''
}

/** The words of each command in a text, without `opsbook`; single quotes hold one together. */
function commandsOf(text: string): readonly (readonly string[])[] {
  const lines = text.replaceAll(/\\\n */g, '').matchAll(/^\$ opsbook (.*)$/gm)
  return [...lines].map(([, line = '']) =>
    [...line.matchAll(/(?:'[^']*'|\S)+/g)].map(([word]) => word.replaceAll("'", '')),
  )
}

async function newFolder(atEnd: AtEnd): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-runbooks-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

interface ShippedRunbook {
  readonly title?: string
  readonly description?: string
  readonly inputs: {
    readonly additionalProperties?: boolean
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
}

interface Received {
  readonly operation: string | null
  readonly code: string | null
  readonly unknown_fields: readonly string[]
}

type AtEnd = TestContext['onTestFinished']

async function check(file: string, runbookCase: RunbookCase, atEnd: AtEnd): Promise<void> {
  const sandbox = await startSandbox({ limits: false, shape: runbookCase.shape ?? 'document' })
  atEnd(() => sandbox.close())
  const control = async (path: string, body?: unknown): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const how = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${sandbox.url}/_sandbox/${path}`, how)
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
  // What hosts and metrics say depends on the time.
  await control('clock', { now: '2026-02-01T12:00:00Z' })
  await control('faults', runbookCase.faults ?? [])
  const { folder, code, stdout, stderr } = await run(file, runbookCase, sandbox.url, atEnd)
  const { requests } = (await control('requests')) as { requests: readonly Received[] }
  const said = stdout + stderr
  for (const secret of Object.values(runbookCase.secrets ?? {})) expect(said).not.toContain(secret)

  if (runbookCase.refused !== undefined) {
    expect({ code, requests }, said).toEqual({ code: runbookCase.exit ?? 2, requests: [] })
    expect(said).toMatch(patternOf(runbookCase.refused))
    return
  }
  const { status = 'succeeded', error, outputs, calls, changes = [], sent = [] } = runbookCase
  const report = JSON.parse(stdout)
  expect(report, said).toMatchObject({ status, ...matching({ error, outputs }) })
  expect(code).toBe(runbookCase.exit ?? { succeeded: 0, failed: 1, unknown: 4 }[status])
  const received = requests.map((request) => [request.operation, request.code ?? 'OK'].join(' '))
  if (calls) expect(received.map((call) => call.replace(/ OK$/, ''))).toEqual(calls)
  expect(requests.flatMap(({ unknown_fields }) => unknown_fields)).toEqual([])
  for (const request of sent) expect(requests).toContainEqual(expect.objectContaining(nested(request)))
  const { entries } = (await control('audit')) as { entries: readonly AuditEntry[] }
  expect(entries.map(({ operation, detail }) => ({ operation, ...detail }))).toMatchObject(changes)
  expect(entries).toHaveLength(changes.length)
  for (const [name, texts] of Object.entries(runbookCase.files ?? {})) {
    const written = readFileSync(join(folder, 'data', 'runs', report.run_id, name), 'utf8')
    for (const text of texts) expect(written).toContain(text)
  }
  for (const text of runbookCase.log ?? []) expect(stderr).toContain(text)
}

interface AuditEntry {
  readonly operation: string
  readonly detail: object
}

interface Ran {
  readonly folder: string
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function run(
  file: string,
  { inputs, secrets = {}, key, answer }: RunbookCase,
  url: string,
  atEnd: AtEnd,
): Promise<Ran> {
  const folder = await newFolder(atEnd)
  const variables = Object.keys(secrets).map((name) => [name, `TEST_${name.toUpperCase()}`] as const)
  const configuration = { secrets: Object.fromEntries(variables.map(([name, of]) => [name, `env:${of}`])) }
  if (variables.length > 0) await writeFile(join(folder, 'opsbook.yaml'), JSON.stringify(configuration))
  await writeFile(join(folder, 'inputs.json'), JSON.stringify(inputs))
  const env = {
    OPSBOOK_BASE_URL: url,
    OPSBOOK_APP_KEY: key ?? 'sandbox-owner',
    ...Object.fromEntries(variables.map(([name, of]) => [of, secrets[name] ?? ''])),
  }
  const words = [
    'run',
    pathOf(file),
    '--inputs-file',
    'inputs.json',
    '--data-dir',
    'data',
    '--output',
    'json',
  ]
  const result = await opsbook(words, { folder, env, ...(answer === undefined ? {} : answering(answer)) })
  return { folder, ...result }
}

/** A person at the terminal who says the same to everything. */
function answering(answer: string): Surroundings {
  const keyboard = new PassThrough()
  return {
    isTerminal: true,
    keyboard,
    onWrite: (text) => {
      if (text.includes('yes or no')) keyboard.write(`${answer}\n`)
    },
  }
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(`runbooks/${file}`, root))
}

function patternOf(text: string): RegExp {
  return new RegExp(text.slice(1, -1))
}

/** The same with patterns in the places of texts such as `/^a2a_/`. */
function matching(value: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value as object)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name, matcherOf(item)]),
  )
}

function matcherOf(item: unknown): unknown {
  if (typeof item === 'string' && /^\/.*\/$/s.test(item)) return expect.stringMatching(patternOf(item))
  return typeof item === 'object' && item !== null && !Array.isArray(item) ? matching(item) : item
}

/** Maps inside it match as far as given, too. */
function nested(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'object' && item !== null && !Array.isArray(item)
        ? expect.objectContaining(nested(item))
        : item,
    ]),
  )
}
