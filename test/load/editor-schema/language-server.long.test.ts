import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActions } from '../../../src/actions/index.ts'
import { builtinActions } from '../../../src/core/builtins/definitions.ts'
import { editorSchema } from '../../../src/load/editor-schema/index.ts'
import { retryStart } from '../../support/retry-start.ts'
import { type Completion, type LanguageServer, startLanguageServer } from './language-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'opsbook-editor-'))
let server: LanguageServer

beforeAll(async () => {
  const file = join(folder, 'runbook.schema.json')
  writeFileSync(file, JSON.stringify(editorSchema(createActions())))
  server = await retryStart(() => startLanguageServer(file))
})

afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const head = 'apiVersion: opsbook/v1\nname: a\n'
const step = `${head}steps:\n  - id: x\n`

function labels(completions: readonly Completion[]): readonly string[] {
  return completions.map(({ label }) => label)
}

function help(completions: readonly Completion[], label: string): string {
  const documentation = completions.find((completion) => completion.label === label)?.documentation ?? ''
  return typeof documentation === 'string' ? documentation : documentation.value
}

describe('completion', () => {
  it('of the keys of a runbook', async () => {
    const found = await server.completions('apiVersion: opsbook/v1\n|')
    expect(labels(found)).toEqual(expect.arrayContaining(['name', 'inputs', 'triggers', 'steps', 'finally']))
    expect(help(found, 'inputs')).toContain('checked before the run starts')
  })

  it('of the keys of a step, as soon as its kind is clear only of those that fit', async () => {
    const open = labels(await server.completions(`${step}    |`))
    expect(open).toEqual(expect.arrayContaining(['uses', 'steps', 'parallel', 'if', 'for-each']))
    const uses = labels(await server.completions(`${step}    uses: monit/tools/catalog\n    |`))
    expect(uses).toEqual(expect.arrayContaining(['with', 'retry', 'save-as', 'if']))
    expect(uses).not.toEqual(expect.arrayContaining(['max-parallel']))
    const block = labels(await server.completions(`${step}    parallel: []\n    |`))
    expect(block).toEqual(expect.arrayContaining(['max-parallel', 'on-branch-error']))
    expect(block).not.toContain('retry')
  })

  it('of the names of actions, each with what it does', async () => {
    const found = await server.completions(`${step}    uses: |`)
    const names = [...builtinActions, ...createActions()].map(({ name }) => name)
    expect(labels(found).toSorted()).toEqual(names.toSorted())
    expect(help(found, 'monit/tools/invoke')).toContain('Run diagnostic tools')
  })

  it('of the arguments of that action', async () => {
    const found = await server.completions(`${step}    uses: monit/tools/invoke\n    with:\n      |`)
    const keys = labels(found).filter((label) => /^[a-z_]+$/.test(label))
    expect(keys.toSorted()).toEqual(['account_id', 'target_kind', 'target_locator', 'tools'])
    expect(help(found, 'tools')).toContain('any number, 8 go in one call')
  })

  it('of values, with what they mean', async () => {
    const overlap = await server.completions(`${head}triggers:\n  - type: schedule\n    overlap: |`)
    expect(labels(overlap)).toEqual(['skip', 'buffer-one', 'cancel-other', 'allow-all'])
    expect(help(overlap, 'buffer-one')).toContain('waits for the end')
    const kind = await server.completions(`${step}    uses: rum/application/create\n    with:\n      type: |`)
    expect(labels(kind)).toContain('browser')
    const status = await server.completions(
      `${step}    uses: incident/post-mortem/status/reset\n    with:\n      status: |`,
    )
    expect(labels(status)).toEqual(expect.arrayContaining(['drafting', 'published']))
  })

  it('of error codes, in retry and in catch', async () => {
    const retry = await server.completions(
      `${step}    uses: core/log\n    retry:\n      errors:\n        - |`,
    )
    expect(labels(retry)).toEqual(expect.arrayContaining(['overloaded', 'RequestLocked']))
    expect(help(retry, 'overloaded')).toContain('busy')
    const caught = await server.completions(
      `${step}    uses: core/log\n    catch:\n      - errors:\n          - |`,
    )
    expect(labels(caught)).toEqual(expect.arrayContaining(['all', 'AccessDenied']))
  })

  it('of the schema of an input', async () => {
    const keys = labels(await server.completions(`${head}inputs:\n  properties:\n    host:\n      |`))
    expect(keys).toEqual(expect.arrayContaining(['type', 'default', 'enum', 'maxLength']))
    const types = labels(await server.completions(`${head}inputs:\n  properties:\n    host:\n      type: |`))
    expect(types).toEqual(expect.arrayContaining(['string', 'integer', 'array']))
  })
})

describe('help', () => {
  const cases: readonly (readonly [about: string, text: string, said: string])[] = [
    ['a key', `${step}    if|: \${{ true }}\n    uses: core/log\n`, 'skipped when this is false'],
    ['a default', `${step}    uses: core/log\n    retry: { dela|y: 3s }\n`, 'Default: 1s.'],
    ['an action', `${step}    uses: monit/to|ols/invoke\n`, 'Run diagnostic tools on a monitored object'],
    [
      'an argument',
      `${step}    uses: monit/tools/catalog\n    with: { target_loc|ator: x }\n`,
      'such as a host name',
    ],
    ['a value', `${head}concurrency:\n  key: x\n  on-conflict: ski|p\n`, 'answered with the active run'],
    ['a keyword of an input', `${head}inputs:\n  properties:\n    host: { maxLen|gth: 3 }\n`, 'Longest text'],
  ]

  it.each(cases)('about %s', async (_, text, said) => {
    expect(await server.hover(text)).toContain(said)
  })
})

describe('errors', () => {
  const cases: readonly (readonly [about: string, text: string, line: number, said: string])[] = [
    [
      'a wrong key',
      `${step}    uses: core/log\n    with: { message: x }\n    tiemout: 3s\n`,
      6,
      'tiemout is not allowed',
    ],
    ['an unknown action', `${step}    uses: core/lok\n`, 4, 'Valid values'],
    [
      'a missing argument',
      `${step}    uses: core/log\n    with: { level: info }\n`,
      5,
      'Missing property "message"',
    ],
    [
      'an argument of another action',
      `${step}    uses: core/log\n    with: { message: x, for: 3s }\n`,
      5,
      'for is not allowed',
    ],
    ['a wrong duration', `${step}    uses: core/wait\n    with: { for: 3 min }\n`, 5, 'Expected a duration'],
    [
      'a bare condition',
      `${step}    if: inputs.x\n    uses: core/log\n    with: { message: x }\n`,
      4,
      'whole expression',
    ],
    [
      'an id with a hyphen',
      `${head}steps:\n  - id: a-b\n    uses: core/log\n    with: { message: x }\n`,
      3,
      'lower-case letters',
    ],
    [
      'tolerance without items',
      `${step}    uses: core/log\n    with: { message: x }\n    tolerate: 3\n`,
      6,
      'no items that could fail',
    ],
    [
      'an unknown keyword of an input',
      `${head}inputs: { properties: { x: { typ: string } } }\nsteps: [{ id: x, uses: core/log, with: { message: x } }]\n`,
      2,
      'typ is not allowed',
    ],
  ]

  it.each(cases)('for %s', async (_, text, line, said) => {
    const findings = await server.findings(text)
    const found = findings.map(({ range, message }) => `${range.start.line}: ${message}`)
    expect(found).toEqual([expect.stringContaining(said)])
    expect(found[0]).toMatch(new RegExp(`^${line}:`))
  })

  const runbooks = new URL('../../../runbooks/', import.meta.url)
  const sound = [
    ...readdirSync(runbooks)
      .filter((file) => !file.endsWith('.test.yaml'))
      .map((file) => new URL(file, runbooks)),
    new URL('every-key.yaml', import.meta.url),
  ]
  it.each(sound.map((file) => [file.pathname.split('/').at(-1), file] as const))(
    'and none for %s',
    async (_, file) => {
      expect(await server.findings(readFileSync(file, 'utf8'))).toEqual([])
    },
  )
})
