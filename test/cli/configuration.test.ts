import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const canary = 'canary-5f0c2d'

/** What `doctor` says about a configuration: nothing listens at the address, and nothing has to. */
async function connectionCheck(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  words: readonly string[] = [],
): Promise<{
  code: number
  stderr: string
  said: string
  checks: Record<string, { status: string; message: string; hints?: string[] }>
}> {
  const folder = await newFolder(files)
  if (files['key.txt'] !== undefined) await chmod(join(folder, 'key.txt'), 0o600)
  const { code, stdout, stderr } = await opsbook(['doctor', '--output', 'json', ...words], { folder, env })
  const checks = stdout === '' ? [] : JSON.parse(stdout).checks
  const byName = Object.fromEntries(checks.map((check: { name: string }) => [check.name, check]))
  return { code, stderr, said: stdout + stderr, checks: byName }
}

const address = 'http://127.0.0.1:1'
const one = (key: string, more = ''): string =>
  `connections:\n  prod:\n    base-url: ${address}\n    app-key: ${key}\n${more}`

test('the only connection is taken without being named', async () => {
  const { checks } = await connectionCheck({ 'opsbook.yaml': one('env:PROD_KEY') }, { PROD_KEY: canary })
  expect(checks['connection']).toMatchObject({
    status: 'ok',
    message: expect.stringContaining('"prod" from'),
  })
  expect(checks['service']).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('ConnectionRefused'),
  })
})

test('a key file may end with a line break', async () => {
  const { checks } = await connectionCheck({
    'opsbook.yaml': one('file:key.txt'),
    'key.txt': `${canary}\r\n`,
  })
  expect(checks['connection']).toMatchObject({ status: 'ok' })
})

test('the configuration is found upwards, and its paths start where it lies', async () => {
  const folder = await newFolder({
    'opsbook.yaml': `data-dir: data\n${one('file:key.txt')}`,
    'key.txt': canary,
  })
  const deep = join(folder, 'a', 'b')
  await mkdir(deep, { recursive: true })
  const { stdout } = await opsbook(['doctor'], { folder: deep })
  expect(stdout).toContain(`${join(folder, 'data')}, `)
  expect(stdout).toMatch(/connection +"prod"/)
})

test('a key file that everybody can read is a warning', async () => {
  const folder = await newFolder({ 'opsbook.yaml': one('file:key.txt'), 'key.txt': canary })
  await chmod(join(folder, 'key.txt'), 0o644)
  const { stdout } = await opsbook(['doctor'], { folder })
  expect(stdout).toContain('chmod 600 key.txt')
})

test('the environment wins over the file', async () => {
  const env = { OPSBOOK_BASE_URL: 'http://127.0.0.1:2', OPSBOOK_APP_KEY: canary }
  const { checks } = await connectionCheck({ 'opsbook.yaml': one('env:PROD_KEY') }, env)
  expect(checks['connection']?.message).toContain('http://127.0.0.1:2')
})

test('the environment does not stand in the way of a connection that is named', async () => {
  const { checks } = await connectionCheck(
    { 'opsbook.yaml': one('env:PROD_KEY') },
    { OPSBOOK_BASE_URL: 'http://127.0.0.1:2', PROD_KEY: canary },
    ['--connection', 'prod'],
  )
  expect(checks['connection']).toMatchObject({ status: 'ok', message: expect.stringContaining(address) })
})

type Case = readonly [
  about: string,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  said: readonly string[],
]

const lacking: readonly Case[] = [
  ['nothing is configured', {}, {}, ['no connection to the service is configured', '--sandbox']],
  ['only the address is set', {}, { OPSBOOK_BASE_URL: address }, ['OPSBOOK_APP_KEY is not']],
  ['only the key is set', {}, { OPSBOOK_APP_KEY: canary }, ['OPSBOOK_BASE_URL is not']],
  ['the variable is not set', { 'opsbook.yaml': one('env:PROD_KEY') }, {}, ['PROD_KEY', 'is not set']],
  [
    'the key file is missing',
    { 'opsbook.yaml': one('file:none.txt') },
    {},
    ['none.txt cannot be read (ENOENT)'],
  ],
  [
    'the key file is empty',
    { 'opsbook.yaml': one('file:key.txt'), 'key.txt': '\n' },
    {},
    ['key.txt is empty'],
  ],
  [
    'the key file holds more',
    { 'opsbook.yaml': one('file:key.txt'), 'key.txt': `key: ${canary}\n` },
    {},
    ['holds more than a key'],
  ],
  [
    'several connections and no default',
    { 'opsbook.yaml': one('env:A', `  other:\n    base-url: ${address}\n    app-key: env:B\n`) },
    {},
    ['several are configured', 'prod, other'],
  ],
  [
    'the address holds a key',
    {},
    { OPSBOOK_BASE_URL: `${address}/x?app_key=${canary}`, OPSBOOK_APP_KEY: 'x' },
    ['OPSBOOK_BASE_URL must end before'],
  ],
  [
    'the address holds a password',
    {},
    { OPSBOOK_BASE_URL: `http://me:${canary}@127.0.0.1`, OPSBOOK_APP_KEY: 'x' },
    ['must not hold a user name'],
  ],
  [
    'the address is none',
    {},
    { OPSBOOK_BASE_URL: canary, OPSBOOK_APP_KEY: 'x' },
    ['is not an http or https'],
  ],
]

test.each(lacking)('%s: said without the key', async (_, files, env, expected) => {
  const { code, said, checks } = await connectionCheck(files, env)
  expect(code).toBe(5)
  const check = checks['connection']
  expect(check?.status).toBe('fail')
  const text = [check?.message, ...(check?.hints ?? [])].join('\n')
  for (const part of expected) expect(text).toContain(part)
  expect(said).not.toContain(canary)
})

const invalid: readonly (readonly [text: string, said: readonly string[]])[] = [
  [one(canary), ['opsbook.yaml:4:14', '"app-key" names the place of the key', 'env:NAME']],
  [one('123456789012345'), ['opsbook.yaml:4:14', '"app-key" names the place']],
  [one(`env:${canary} x`), ['"app-key" names the place']],
  [one(`*${canary}`), ['opsbook.yaml:']],
  [one(`!${canary} x`), ['opsbook.yaml:']],
  [one(`"${canary}`), ['opsbook.yaml:']],
  [one(`{ literal: ${canary} }`), ['"app-key" names the place']],
  [
    `connections:\n  prod:\n    base-url: x\n    app_key: ${canary}\n`,
    ['opsbook.yaml:4:5', 'did you mean "app-key"?'],
  ],
  ['data-dir: [\n', ['opsbook.yaml:1:11: this [ is never closed\n  close it with ]']],
  ['data-dir: a\n\tengine: b\n', ['opsbook.yaml:2:', 'a tab is no indentation in YAML']],
  [`data-dir: "\\q${canary}"\n`, ['opsbook.yaml:1:12: invalid escape sequence\n']],
  [`data-dir: |${canary}\n`, ['opsbook.yaml:1:1', 'block scalar header includes extra characters\n']],
  [`data-dir: @${canary}\n`, ['opsbook.yaml:1:11', 'put the value in quotes']],
  [`%${canary}\ndata-dir: a\n`, ['opsbook.yaml:']],
  [`data-dir: a\n${canary}\n`, ['opsbook.yaml:2:1', 'this is no key']],
  [`data-dir: {a: ${canary} ]\n`, ['opsbook.yaml:1:11', 'this { is never closed']],
  [`connections: ${canary}\n`, ['opsbook.yaml:1:14', '"connections" must be a map']],
  [`conections: {}\n`, ['opsbook.yaml:1:1', 'there is no key "conections" in opsbook.yaml', '"connections"']],
  ['data-dir: 3\n', ['opsbook.yaml:1:11', '"data-dir" must be a text']],
  ['connections:\n  prod: {}\n', ['needs the key "base-url"', 'needs the key "app-key"']],
  ['data-dir: a\ndata-dir: b\n', ['opsbook.yaml:2:1', 'stands twice']],
  ['data-dir: a\n---\ndata-dir: b\n', ['opsbook.yaml:2:1', 'a second document begins here']],
  [`data-dir: a # ${'x'.repeat(300_000)}`, ['opsbook.yaml:1:1', 'the file is larger than 256 KB']],
  [
    'connections: { a: { type: http, base-url: "https://a.example.com", tls: { cert: "file:a" } } }',
    ['opsbook.yaml:1:73', '"tls" has "cert", and needs "key" too'],
  ],
]

test.each(invalid)('%j is refused with its place and without its values', async (text, said) => {
  const folder = await newFolder({ 'opsbook.yaml': text, 'look.yaml': look })
  const { code, stdout, stderr } = await opsbook(['run', 'look.yaml', '--sandbox'], { folder })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  for (const part of said) expect(stderr).toContain(part)
  expect(stderr).not.toContain(canary)
  expect(stderr).not.toContain('123456789012345')
})

const look = `apiVersion: opsbook/v1
name: look
steps:
  - id: catalog
    uses: monit/tools/catalog
    with: { target_locator: web-01 }
`

test('an empty configuration says nothing', async () => {
  const { checks } = await connectionCheck({ 'opsbook.yaml': '# nothing yet\n' })
  expect(checks['configuration']).toMatchObject({ status: 'ok' })
})

test('a connection that does not exist is named with the nearest', async () => {
  const folder = await newFolder({ 'opsbook.yaml': one('env:PROD_KEY') })
  const words = ['call', 'monit/tools/catalog', '-i', 'target_locator=web-01', '--connection', 'pord']
  const { code, stderr } = await opsbook(words, { folder, env: { PROD_KEY: canary } })
  expect(code).toBe(2)
  expect(stderr).toContain('there is no connection "pord"\n  did you mean "prod"?')
})

const places: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[], string])[] = [
  ['the flag', { OPSBOOK_DATA_DIR: 'b', XDG_DATA_HOME: '/nowhere' }, ['--data-dir', 'a'], 'a'],
  ['OPSBOOK_DATA_DIR', { OPSBOOK_DATA_DIR: 'b' }, [], 'b'],
  ['the configuration', {}, [], 'c'],
]

test.each(places)('the data directory: %s', async (_, env, words, expected) => {
  const folder = await newFolder({ 'opsbook.yaml': 'data-dir: c\n' })
  const { stdout } = await opsbook(['doctor', ...words], { folder, env })
  expect(stdout).toContain(`data directory  ${join(folder, expected)}, `)
})

test('the data directory: the usual place', async () => {
  const folder = await newFolder()
  const home = (await opsbook(['doctor'], { folder })).stdout
  expect(home).toContain(join(folder, '.local', 'share', 'opsbook'))
  const xdg = (await opsbook(['doctor'], { folder, env: { XDG_DATA_HOME: join(folder, 'x') } })).stdout
  expect(xdg).toContain(join(folder, 'x', 'opsbook'))
})

test('a data directory that cannot be made ends everything before anything is sent', async () => {
  const folder = await newFolder({ 'look.yaml': look, file: '' })
  await writeFile(join(folder, 'x'), '')
  for (const place of ['file', 'file/deeper', '/proc/opsbook']) {
    const { code, stderr } = await opsbook(['run', 'look.yaml', '--sandbox', '--data-dir', place], { folder })
    expect(code).toBe(5)
    expect(stderr).toMatch(
      /cannot use the data directory .*: .*\n {2}next .* name another one with --data-dir/,
    )
  }
})
