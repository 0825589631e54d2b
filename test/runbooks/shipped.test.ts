import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startSandbox } from 'opsbook/sandbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import type { RunbookCase } from './runbook-case.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const shipped = readdirSync(new URL('runbooks/', root)).toSorted()

describe.each(shipped)('%s', (file) => {
  const path = `test/cases/runbooks/${file}`
  const cases = existsSync(new URL(path, root))
    ? (parse(read(path), { merge: true }) as readonly RunbookCase[])
    : []

  it('has no findings', async () => {
    const { code, stdout } = await opsbook(['validate', '--max-warnings', '0', pathOf(file)])
    expect(code, stdout).toBe(0)
  })

  it('has runs that go well, and others', () => {
    const wentWell = cases.filter(({ status, refused }) => (status ?? refused) === undefined)
    expect(wentWell.length).toBeGreaterThan(0)
    expect(cases.length).toBeGreaterThan(wentWell.length)
  })

  it('is told about', () => {
    const name = file.replace('.yaml', '')
    expect(read('docs/runbooks.md')).toContain(`\n## ${name}\n`)
    expect(read('README.md')).toContain(`(docs/runbooks.md#${name})`)
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

  it.each(cases)('$name', async (runbookCase) => {
    await check(file, runbookCase)
  })
})

it('no case is about a runbook that is not shipped', () => {
  expect(readdirSync(new URL('test/cases/runbooks/', root)).toSorted()).toEqual(shipped)
})

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

async function check(file: string, runbookCase: RunbookCase): Promise<void> {
  const sandbox = await startSandbox({ limits: false, shape: runbookCase.shape ?? 'document' })
  onTestFinished(() => sandbox.close())
  const control = async (path: string, body?: unknown): Promise<unknown> => {
    const how = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(`${sandbox.url}/_sandbox/${path}`, how)
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
  await control('faults', runbookCase.faults ?? [])
  const { folder, code, stdout, stderr } = await run(file, runbookCase, sandbox.url)
  const { requests } = (await control('requests')) as { requests: readonly Received[] }
  const said = stdout + stderr
  for (const secret of Object.values(runbookCase.secrets ?? {})) expect(said).not.toContain(secret)

  if (runbookCase.refused !== undefined) {
    expect({ code, requests }, said).toEqual({ code: 2, requests: [] })
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
): Promise<Ran> {
  const names = Object.keys(secrets).map((name) => `  ${name}: env:TEST_${name.toUpperCase()}\n`)
  const folder = await newFolder({
    'inputs.json': JSON.stringify(inputs),
    ...(names.length === 0 ? {} : { 'opsbook.yaml': `secrets:\n${names.join('')}` }),
  })
  const env = {
    OPSBOOK_BASE_URL: url,
    OPSBOOK_APP_KEY: key ?? 'sandbox-owner',
    ...Object.fromEntries(
      Object.entries(secrets).map(([name, value]) => [`TEST_${name.toUpperCase()}`, value]),
    ),
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
  const result = await opsbook([...words, ...(answer === 'yes' ? ['--yes'] : [])], { folder, env })
  return { folder, ...result }
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
