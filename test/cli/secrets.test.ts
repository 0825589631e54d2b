import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Io } from '../../src/cli/shared/io.ts'
import { readConfiguration } from '../../src/project/configuration/index.ts'
import { createSecretStore } from '../../src/project/connections/index.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

const canary = 'canary-7d31aa'

const runbook = `apiVersion: opsbook/v1
name: tell
secrets: [token, unused]
steps:
  - id: block
    steps:
      - id: agent
        uses: safari/a2a-agent/create
        with:
          agent_name: a
          instructions: b
          card_url: https://agents.example.com/card
          auth_config: { token: "\${{ secrets.token }}" }
`

async function resolved(
  reference: string,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = await newFolder({ 'opsbook.yaml': `secrets: { token: "${reference}" }\n`, ...files })
  const io = { env: { HOME: folder, ...env }, workingDirectory: folder } as unknown as Io
  return createSecretStore(await readConfiguration(io), io).resolve('token')
}

describe('the value of a secret', () => {
  test('comes from the environment', async () => {
    expect(await resolved('env:TOKEN', {}, { TOKEN: canary })).toBe(canary)
  })
  test('comes from a file, without the line break at its end', async () => {
    expect(await resolved('file:a.txt', { 'a.txt': `${canary}\r\n` })).toBe(canary)
    expect(await resolved('file:~/a.txt', { 'a.txt': `${canary}\n\n` })).toBe(`${canary}\n`)
    expect(await resolved('file:a.txt', { 'a.txt': ' two\nlines ' })).toBe(' two\nlines ')
  })

  const lacking: readonly (readonly [about: string, reference: string, text: string, said: string])[] = [
    ['a variable that is not set', 'env:TOKEN', '', 'the environment variable TOKEN is not set'],
    ['a file that is not there', 'file:b.txt', '', 'the file b.txt cannot be read (ENOENT)'],
    ['a file that is empty', 'file:a.txt', '\n', 'the file a.txt is empty'],
    ['a file that is too large', 'file:a.txt', canary.repeat(6000), 'the file a.txt is too large'],
  ]
  test.each(lacking)('is missing: %s', async (_, reference, text, said) => {
    const error: unknown = await resolved(reference, { 'a.txt': text }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'MissingSecret',
      message: expect.stringContaining(said),
      notSent: true,
    })
    expect(String(error)).not.toContain(canary)
  })
})

describe('run', () => {
  const words = ['run', 'tell.yaml', '--sandbox', '--allow-outside', '--data-dir', 'data']

  test('ends before anything is sent where a secret has no value', async () => {
    const folder = await newFolder({ 'tell.yaml': runbook, 'opsbook.yaml': 'secrets: { tokn: env:TOKEN }\n' })
    const { code, stderr } = await opsbook(words, { folder })
    expect(code).toBe(5)
    expect(stderr).toContain('MissingSecret')
    expect(stderr).toContain('no secret "token"; did you mean "tokn"?')
    expect(stderr).not.toContain('unused')
  })
})

test('a connection without its token is completed where the message says, not in secrets of the runbook', async () => {
  const folder = await newFolder({
    'opsbook.yaml':
      'connections: { pager: { type: http, base-url: "http://127.0.0.1:9", auth: { type: bearer, token: env:PAGER_TOKEN } } }\n',
    'page.yaml': `apiVersion: opsbook/v1
name: page
steps: [{ id: a, uses: core/http, connection: pager, with: { path: /x } }]
`,
  })
  const { code, stderr } = await opsbook(['run', 'page.yaml', '--data-dir', 'data'], { folder })
  expect(code).toBe(5)
  expect(stderr).toContain('set PAGER_TOKEN, or change the connection in opsbook.yaml')
  expect(stderr).toContain('next        Set what the message names.')
})

test('a secret that stands in the configuration itself is refused, and not repeated', async () => {
  const folder = await newFolder({ 'opsbook.yaml': `secrets:\n  token: ${canary}\n`, 'tell.yaml': runbook })
  const { code, stderr } = await opsbook(['run', 'tell.yaml', '--sandbox', '--allow-outside'], { folder })
  expect(code).toBe(2)
  expect(stderr).toContain('opsbook.yaml:2:10: ')
  expect(stderr).not.toContain(canary)
})

test('doctor says which secrets have no value, and shows none', async () => {
  const folder = await newFolder({
    'opsbook.yaml': 'secrets: { one: env:ONE, two: file:two.txt, three: env:THREE }\n',
    'two.txt': canary,
  })
  await chmod(join(folder, 'two.txt'), 0o600)
  const doctor = async (env: Readonly<Record<string, string>>): Promise<readonly object[]> => {
    const { stdout } = await opsbook(['doctor', '--sandbox', '--output', 'json'], { folder, env })
    expect(stdout).not.toContain(canary)
    return JSON.parse(stdout).checks.filter((check: { name: string }) => check.name === 'secrets')
  }
  expect(await doctor({ ONE: canary })).toMatchObject([
    { status: 'fail', message: expect.stringContaining('THREE is not set') },
  ])
  expect(await doctor({ ONE: canary, THREE: canary })).toMatchObject([{ status: 'ok' }])
})
