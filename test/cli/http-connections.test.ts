import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startStandIn } from '../api/stand-in.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

const token = 'canary-of-github-71'
const webhook = '/services/T0AB/canary-of-chat-0815'

const runbook = `apiVersion: opsbook/v1
name: look
inputs: { type: object, required: [repo], properties: { repo: { type: string } } }
steps:
  - id: runs
    uses: core/http
    connection: github
    with: { path: "/repos/acme/\${{ inputs.repo }}/runs" }
  - id: tell
    uses: core/http
    connection: chat
    with: { method: POST, safety: create, body: { text: "\${{ steps.runs.outputs.status }}" } }
outputs: { said: "\${{ steps.runs.outputs.body }}" }
`

/** A folder with the runbook, and a server for both of its connections, which repeats all that it got. */
async function setUp(changes: { readonly yaml?: string; readonly status?: number } = {}) {
  const server = await startStandIn(({ url, headers }, response) => {
    response.writeHead(url === webhook ? (changes.status ?? 200) : 200, {
      'content-type': 'application/json',
    })
    response.end(JSON.stringify({ message: `${url} ${headers.authorization}` }))
  })
  const yaml = `connections:
  github: { type: http, base-url: "${server.baseUrl}", auth: { type: bearer, token: env:GITHUB }, limits: { per-second: 1 } }
  chat: { type: http, base-url: env:CHAT }
${changes.yaml ?? ''}`
  const folder = await newFolder({ 'look.yaml': runbook, 'opsbook.yaml': yaml })
  const env = { GITHUB: token, CHAT: server.baseUrl + webhook }
  const run = (...more: string[]) =>
    opsbook(['run', 'look.yaml', '--data-dir', 'data', '--input', 'repo=a/b', ...more], { folder, env })
  return { server, folder, env, run }
}

function keptIn(folder: string): string {
  return readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

describe('a run over HTTP connections', () => {
  it('sends what they log in with, and nothing that is printed or kept holds it', async () => {
    const { server, folder, run } = await setUp()
    const { code, stdout, stderr } = await run('--verbose')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(server.received).toMatchObject([
      { url: '/repos/acme/a%2Fb/runs', headers: { authorization: `Bearer ${token}` } },
      { method: 'POST', url: webhook, body: '{"text":200}' },
    ])
    expect(stdout + stderr + keptIn(folder)).not.toMatch(/canary/)
  })

  it('sends nothing where a value inside a path is empty', async () => {
    const { folder, env, server } = await setUp()
    const words = ['run', 'look.yaml', '--data-dir', 'data', '--input', 'repo=']
    const { code, stdout, stderr } = await opsbook(words, { folder, env })
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('a value inside a path is empty: "inputs.repo"')
    expect(server.received).toEqual([])
  })

  it('shows the origin of a secret address alone when it fails', async () => {
    const { folder, run, server } = await setUp({ status: 503 })
    const { code, stdout, stderr } = await run('--output', 'json')
    expect(code).toBe(4)
    expect(stdout).toContain(server.baseUrl)
    expect(stdout + stderr + keptIn(folder)).not.toMatch(/canary|T0AB/)
  })

  it.each(['run', 'plan', 'validate'])('%s finds a name that is not configured', async (command) => {
    const { folder, env, server } = await setUp()
    const wrong = runbook.replace('connection: chat', 'connection: chta')
    const other = await newFolder({
      'look.yaml': wrong,
      'opsbook.yaml': readFileSync(join(folder, 'opsbook.yaml'), 'utf8'),
    })
    const inputs = command === 'validate' ? [] : ['--input', 'repo=a']
    const result = await opsbook([command, 'look.yaml', ...inputs], { folder: other, env })
    expect(result.code).toBe(2)
    expect(result.stdout + result.stderr).toContain('there is no connection "chta" in opsbook.yaml')
    expect(result.stdout + result.stderr).toContain('did you mean "chat"?')
    expect(server.received).toEqual([])
  })

  it('is a warning where there is no opsbook.yaml', async () => {
    const folder = await newFolder({ 'look.yaml': runbook })
    const { code, stdout } = await opsbook(['validate', 'look.yaml'], { folder })
    expect(code).toBe(0)
    expect(stdout).toContain('not checked: the connection "github"')
  })

  it('finds a secret that is missing before anything is sent', async () => {
    const { folder, server } = await setUp()
    const { code, stdout, stderr } = await opsbook(['run', 'look.yaml', '--input', 'repo=a'], {
      folder,
      env: { GITHUB: token },
    })
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain(
      'the connection "chat" is not complete: the environment variable CHAT is not set',
    )
    expect(server.received).toEqual([])
  })

  it('finds an address that the rules refuse before anything is sent', async () => {
    const { run, server } = await setUp({ yaml: 'http: { allow: [example.com] }\n' })
    const { code, stdout, stderr } = await run()
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('127.0.0.1 is not allowed by "http" of opsbook.yaml')
    expect(server.received).toEqual([])
  })

  it('cannot be the connection of the service', async () => {
    const { run } = await setUp()
    const { code, stderr } = await run('--connection', 'github')
    expect(code).toBe(2)
    expect(stderr).toContain('the connection "github" is of type http, and not of the service')
  })
})

it('plan shows the connection, the request and the time that limits take', async () => {
  const { folder, env } = await setUp()
  const loop = runbook.replace(
    '    connection: github',
    '    for-each: { items: [1, 2, 3] }\n    connection: github',
  )
  const other = await newFolder({
    'look.yaml': loop.replace(/^outputs.*$/m, '').replace(/body: .* } }$/m, 'body: { text: done } }'),
    'opsbook.yaml': readFileSync(join(folder, 'opsbook.yaml'), 'utf8'),
  })
  const { stdout } = await opsbook(['plan', 'look.yaml', '--input', 'repo=b'], { folder: other, env })
  expect(stdout).toContain('core/http · connection github · GET /repos/acme/b/runs · 3 calls · at least 2.0s')
  expect(stdout).toContain('core/http · connection chat · POST · 1 call')
  expect(stdout).not.toContain(webhook)
})

describe('opsbook.yaml', () => {
  it.each([
    ['{ type: http }', 'needs the key "base-url"'],
    ['{ type: htpp, base-url: a, app-key: env:A }', '"type" must be'],
    ['{ type: http, base-url: "https://a", app-key: env:A }', 'there is no key "app-key"'],
    ['{ type: http, base-url: "https://a", auth: { type: bearer } }', 'needs the key "token"'],
    [
      '{ type: http, base-url: "https://a", auth: { type: bearer, token: abcdefgh } }',
      'names the place of the secret',
    ],
    [
      '{ type: http, base-url: "https://a", auth: { type: basic, user: a, passwd: env:A } }',
      'there is no key "passwd"',
    ],
    ['{ type: http, base-url: "https://a", auth: { type: digest } }', '"type" must be'],
    ['{ type: http, base-url: "https://a", limits: { per-minute: 0 } }', 'per-minute'],
    ['{ type: http, base-url: "https://a", tls: { cert: file:a } }', 'key'],
  ])('with the connection %s is refused', async (connection, message) => {
    const folder = await newFolder({
      'opsbook.yaml': `connections: { a: ${connection} }\n`,
      'look.yaml': runbook,
    })
    const { code, stderr } = await opsbook(['run', 'look.yaml', '--input', 'repo=a'], { folder })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('abcdefgh')
  })
})

describe('call', () => {
  it('sends one request over a connection, and masks what it logs in with', async () => {
    const { folder, env, server } = await setUp()
    const words = ['call', 'core/http', '--connection', 'github', '-i', 'path=/rate', '-i', 'query={a: 1}']
    const { code, stdout, stderr } = await opsbook(words, { folder, env })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(server.received).toMatchObject([
      { url: '/rate?a=1', headers: { authorization: `Bearer ${token}` } },
    ])
    expect(stdout).toContain('/rate?a=1 Bearer ***')
    expect(stdout + stderr).not.toContain('canary')
  })

  it('sends one request to any address, with secrets by name, and writes the body to a file', async () => {
    const { folder, env, server } = await setUp({ yaml: 'secrets: { key: env:GITHUB }\n' })
    const headers = 'secret-headers={X-Key: {secret: key}}'
    const words = ['call', 'core/http', '-i', `url=${server.baseUrl}/x`, '-i', headers, '--save-as', 'x.json']
    expect(await opsbook(words, { folder, env })).toMatchObject({ code: 0 })
    expect(server.received).toMatchObject([{ url: '/x', headers: { 'x-key': token } }])
    expect(readFileSync(join(folder, 'x.json'), 'utf8')).toBe('{"message":"/x undefined"}')
  })

  it('says that the outcome of a create is unknown', async () => {
    const { folder, env, server } = await setUp({ status: 503 })
    const words = ['call', 'core/http', '--connection', 'chat', '-i', 'method=POST']
    const { code, stdout, stderr } = await opsbook(words, { folder, env })
    expect({ code }).toEqual({ code: 4 })
    expect(stderr).toContain('OutcomeUnknown: core/http may or may not have been executed')
    expect(stdout + stderr).not.toMatch(/canary|T0AB/)
    expect(server.received).toHaveLength(1)
  })

  it.each([
    [['-i', 'path=/a'], 2, 'url is required, or a connection with path'],
    [['--connection', 'nope', '-i', 'path=/a'], 2, 'there is no connection "nope"'],
    [['--connection', 'chat', '-i', 'path=a'], 2, 'must begin with "/"'],
  ])('refuses %o before anything is sent', async (more, code, message) => {
    const { folder, env, server } = await setUp()
    const result = await opsbook(['call', 'core/http', ...more], { folder, env })
    expect(result).toMatchObject({ code })
    expect(result.stdout + result.stderr).toContain(message)
    expect(server.received).toEqual([])
  })
})

describe('doctor', () => {
  it('checks each connection, and sends nothing but a HEAD', async () => {
    const { folder, env, server } = await setUp({ status: 404 })
    const { stdout } = await opsbook(['doctor', '--data-dir', 'data'], { folder, env })
    expect(stdout).toMatch(new RegExp(`ok +connection github +${server.baseUrl} answers`))
    expect(stdout).toMatch(/ok +connection chat .* answers \(HTTP 404 to a HEAD of its address\)/)
    expect(stdout).not.toContain('canary')
    expect(server.received.map(({ method }) => method)).toEqual(['HEAD', 'HEAD'])
  })

  it('needs no connection of the service where all of them lead to other systems', async () => {
    const { folder, env } = await setUp()
    rmSync(join(folder, 'look.yaml'))
    const { code, stdout } = await opsbook(['doctor', '--data-dir', 'data'], { folder, env })
    expect({ code, stdout }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/warn +connection +no connection .* is configured: no runbook here needs it/)
  })

  it('finds what is missing, and a log-in that is refused', async () => {
    const { folder } = await setUp()
    const lacking = await opsbook(['doctor', '--data-dir', 'data'], { folder, env: { GITHUB: token } })
    expect(lacking.stdout).toMatch(/connection chat .*the environment variable CHAT is not set/)
    const server = await startStandIn((_, response) => {
      response.statusCode = 401
      response.end()
    })
    const other = await newFolder({
      'opsbook.yaml': `connections: { a: { type: http, base-url: "${server.baseUrl}", auth: { type: bearer, token: env:GITHUB } } }\n`,
    })
    const refused = await opsbook(['doctor', '--data-dir', 'data'], { folder: other, env: { GITHUB: token } })
    expect(refused.stdout).toMatch(/fail +connection a .*refuses the log-in: HTTP 401/)
  })
})
