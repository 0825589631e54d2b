import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const page = readFileSync(new URL('../../docs/custom-actions.md', import.meta.url), 'utf8')

/** The files of the guide, as they stand there: `name`: and the block after it. */
const files = Object.fromEntries(
  [...page.matchAll(/`([\w-]+\.\w+)`[^\n]*:\n\n```\w+\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
)

/** A ticket system that remembers its tickets. */
async function startTickets(status = 201): Promise<{ url: string; tickets: unknown[] }> {
  const tickets: unknown[] = []
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    tickets.push(JSON.parse(body))
    response.writeHead(status, { 'content-type': 'application/json' }).end(`{"id":"T-${tickets.length}"}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tickets }
}

const run = [
  'run',
  'disk-full.yaml',
  '--sandbox',
  '--allow-outside',
  '--data-dir',
  'data',
  '--input',
  'host=web-01',
]

function attempts(folder: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(join(folder, 'data', 'opsbook.db'))
  try {
    return database.prepare('SELECT path, action, output, error FROM attempts').all() as Record<
      string,
      unknown
    >[]
  } finally {
    database.close()
  }
}

test('the guide has the files of the example', () => {
  expect(Object.keys(files)).toEqual(['actions.mjs', 'opsbook.yaml', 'disk-full.yaml'])
})

test('validate knows the arguments of an action of the project', async () => {
  const folder = await newFolder(files)
  expect(await opsbook(['validate', 'disk-full.yaml', '--with-actions'], { folder })).toMatchObject({
    code: 0,
    stderr: '',
  })
  const wrong = await newFolder({
    ...files,
    'disk-full.yaml': (files['disk-full.yaml'] ?? '').replace('title:', 'titel:'),
  })
  const { code, stdout } = await opsbook(['validate', 'disk-full.yaml', '--with-actions'], { folder: wrong })
  expect(code).toBe(2)
  expect(stdout).toMatch(
    /disk-full\.yaml:12:7 error UNKNOWN_ARGUMENT .*\n.*\n.*\n {2}hint: did you mean "title"\?/,
  )
})

test('actions lists it, describes it, and plan counts it', async () => {
  const folder = await newFolder(files)
  expect((await opsbook(['actions'], { folder })).stdout).toMatch(
    /^acme\/ticket\/open +create +Open a ticket$/m,
  )
  const { stdout } = await opsbook(['actions', 'acme/ticket/open'], { folder })
  expect(stdout).toMatch(/^Errors +TicketsClosed$/m)
  expect(stdout).toMatch(/title +text, 1 to 120, required +One line for the list\./)
  const plan = await opsbook(['plan', 'disk-full.yaml', '--with-actions', '--input', 'host=web-01'], {
    folder,
  })
  expect(plan).toMatchObject({ code: 0 })
  expect(plan.stdout).toContain('acme/ticket/open')
})

test('run carries it out, shows what it logs, and the journal holds it', async () => {
  const folder = await newFolder(files)
  const { url, tickets } = await startTickets()
  vi.stubEnv('TICKETS_URL', url)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { code, stdout, stderr } = await opsbook([...run, '--output', 'ndjson'], { folder })
  expect(stderr).not.toMatch(/warning|error/)
  expect(code).toBe(0)
  expect(tickets).toEqual([{ title: 'Disk full on web-01', severity: 'high' }])
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'logged',
      path: 'ticket',
      attempt: 1,
      level: 'info',
      message: 'opened T-1',
    }),
  )
  expect(events.at(-1)).toMatchObject({ status: 'succeeded', outputs: { ticket: 'T-1' } })
  expect(attempts(folder)).toEqual([
    { path: 'ticket', action: 'acme/ticket/open', output: '{"id":"T-1"}', error: null },
  ])
  expect((await opsbook(run, { folder })).stderr).toContain('ticket: opened T-2')
})

test('a code of its own that proves that nothing was done is repeated as the step asks', async () => {
  const fast = (files['disk-full.yaml'] ?? '').replace('delay: 1s', 'delay: 1ms')
  const folder = await newFolder({ ...files, 'disk-full.yaml': fast })
  const { url, tickets } = await startTickets(503)
  vi.stubEnv('TICKETS_URL', url)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { code, stdout } = await opsbook([...run, '--output', 'json'], { folder })
  expect(code).toBe(1)
  expect(JSON.parse(stdout).error).toMatchObject({ code: 'TicketsClosed' })
  expect(tickets).toHaveLength(3)
})

test('any other failure of a create is an outcome that nobody knows', async () => {
  const folder = await newFolder(files)
  const { url, tickets } = await startTickets(500)
  vi.stubEnv('TICKETS_URL', url)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { code, stdout } = await opsbook([...run, '--output', 'json'], { folder })
  expect(code).toBe(4)
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'OutcomeUnknown',
    message: expect.stringContaining('the ticket system answered 500'),
  })
  expect(tickets).toHaveLength(1)
})

const define = (name: string): string =>
  `defineAction({ name: '${name}', summary: 'x', safety: 'read', input: { type: 'object' }, output: { type: 'object' }, run() {} })`
const header = "import { defineAction } from 'opsbook'\n"

const unloadable: readonly (readonly [
  about: string,
  modules: Readonly<Record<string, string>>,
  said: readonly string[],
])[] = [
  [
    'a module that is missing',
    {},
    ['./a.mjs cannot be loaded: there is no file', 'relative to opsbook.yaml'],
  ],
  [
    'a module that throws',
    { 'a.mjs': "const a = 1\nthrow new TypeError('no luck')" },
    ['TypeError: no luck (line 2'],
  ],
  ['a module that throws nothing', { 'a.mjs': 'throw undefined' }, ['cannot be loaded: undefined']],
  ['a module without actions', { 'a.mjs': 'export const a = 1' }, ['it exports no action', 'defineAction']],
  [
    'an object that is no action',
    { 'a.mjs': "export const a = { name: 'acme/a', run() {} }" },
    ['"acme/a" is a plain object', 'wrap it in defineAction'],
  ],
  [
    'a definition that is not sound',
    { 'a.mjs': `${header}export const a = ${define('core/a')}` },
    ['defineAction "core/a": name is in the namespace "core"'],
  ],
  [
    'two of one name',
    { 'a.mjs': `${header}export const a = ${define('acme/a')}\nexport const b = ${define('acme/a')}` },
    ['acme/a is defined twice in ./a.mjs'],
  ],
]

test.each(unloadable)('%s: file and reason', async (_, modules, said) => {
  const folder = await newFolder({ 'opsbook.yaml': 'actions: [./a.mjs]\n', ...modules })
  for (const words of [['actions'], ['validate', '.', '--with-actions']]) {
    const { code, stdout, stderr } = await opsbook(words, { folder })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    for (const part of said) expect(stderr).toContain(part)
    expect(stderr).toContain('a.mjs')
  }
})

test('a module that is not JavaScript: the line', async () => {
  // The test runner leaves what is in node_modules to Node.
  const folder = await newFolder({ 'opsbook.yaml': 'actions: [./node_modules/a/a.mjs]\n' })
  mkdirSync(join(folder, 'node_modules/a'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/a/a.mjs'), "import 'node:fs'\n\nconst a = = 1\n")
  const { code, stderr } = await opsbook(['actions'], { folder })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining("a.mjs cannot be loaded: SyntaxError: Unexpected token '=' (line 3)\n"),
  })
})

test('actions come by name, as default and in lists, from the folder of the configuration', async () => {
  const folder = await newFolder({
    'opsbook.yaml': 'actions: [./a.mjs, ./b.mjs]\n',
    'a.mjs': `${header}export const one = ${define('acme/one')}\nexport default one\nexport const help = () => 1`,
    'b.mjs': `${header}export default [${define('acme/two')}, ${define('acme/three')}]`,
  })
  const { code, stdout } = await opsbook(['actions', '-o', 'json'], { folder })
  expect(code).toBe(0)
  const names = JSON.parse(stdout).actions.map(({ name }: { name: string }) => name)
  expect(names.filter((name: string) => name.startsWith('acme/'))).toEqual([
    'acme/one',
    'acme/three',
    'acme/two',
  ])
})

test('the example of an action that needs a secret takes it from the secrets', async () => {
  const definition = define('acme/one').replace(
    /input: \{[^}]*\}/,
    "input: { type: 'object', required: ['apiKey'], properties: { apiKey: { type: 'string' } } }, sensitiveInput: ['apiKey']",
  )
  const folder = await newFolder({
    'opsbook.yaml': 'actions: [./a.mjs]\n',
    'a.mjs': `${header}export const one = ${definition}`,
  })
  const { code, stdout } = await opsbook(['actions', 'acme/one'], { folder })
  expect(code).toBe(0)
  const example = stdout.slice(stdout.indexOf('Example\n') + 'Example\n'.length)
  expect(example).toContain('apiKey: ${{ secrets.apikey }}')
  writeFileSync(
    join(folder, 'a.yaml'),
    `apiVersion: opsbook/v1\nname: a\nsecrets: [apikey]\nsteps:\n${example}`,
  )
  expect(await opsbook(['validate', 'a.yaml'], { folder })).toMatchObject({ code: 0 })
})

test.each(['actions: ./a.mjs\n', 'actions: [3]\n'])('%j is refused with its place', async (text) => {
  const folder = await newFolder({ 'opsbook.yaml': text })
  const { code, stderr } = await opsbook(['actions'], { folder })
  expect(code).toBe(2)
  expect(stderr).toMatch(/opsbook\.yaml:1:1[01]: /)
})
