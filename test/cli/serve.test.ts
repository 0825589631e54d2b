import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/engine/embedded/database/database.ts'
import { startStandIn } from '../api/stand-in.ts'
import { startServing } from '../security/support/serve-in-process.ts'
import { opsbook } from './support/opsbook.ts'
import { type Running, requireBuild } from './support/process.ts'
import { configuration, json, project, runbook, secret, send, serve, stop } from './support/serve.ts'
import { startService } from './support/service.ts'

beforeAll(requireBuild)

/** `serve` in this process, and the address of its hook. */
async function serveHere(
  folder: string,
  env: Readonly<Record<string, string>>,
  words: readonly string[] = [],
) {
  const serving = await startServing(words, { folder, env })
  return { ...serving, url: `${serving.url}/hooks/incidents` }
}

test('SIGTERM: no more events, runs stop where they can go on, the code is 0; the next serve goes on with them', async () => {
  const service = await startService()
  await service.fault({ operation: 'catalog', delay_ms: 600_000 })
  const { folder, env } = await project(service.env())
  const first = await serve(folder, env)
  const { text } = await send(first.url, 'one', { id: 'inc-1', name: 'shop' })
  const [{ run_id: runId }] = JSON.parse(text).starts
  await expect.poll(service.calls).toContain('E2')
  await expect.poll(async () => (await service.calls()).length).toBeGreaterThan(1)
  await stop(first.running)
  const show = () => json(['show', runId], folder, env)
  expect(await show()).toMatchObject({ status: 'interrupted' })
  await service.fault()
  const second = await serve(folder, env)
  await expect.poll(async () => (await show()).status).toBe('succeeded')
  const begins = async ({ running }: { readonly running: Running }) =>
    /"msg":"run (started|resumed)"/.exec(await running.until('stderr', '"msg":"run '))?.[1]
  expect([await begins(first), await begins(second)]).toEqual(['started', 'resumed'])
  // Made once.
  expect((await service.calls()).filter((operation) => operation === 'E2')).toHaveLength(1)
  await stop(second.running)
})

test('a write that outlasts the grace period does not hold serve', async () => {
  const service = await startService()
  const { folder, env } = await project(service.env())
  const silent = await startStandIn(() => new Promise(() => {}))
  await writeFile(
    join(folder, 'runbooks/slow.yaml'),
    `apiVersion: opsbook/v1
name: slow
triggers: [{ type: incident }]
steps:
  - id: make
    uses: core/http
    with: { method: POST, url: "${silent.baseUrl}", safety: create, body: x }
    attempt-timeout: 10m
`,
  )
  const { url, running } = await serve(folder, env, ['--grace', '50ms'])
  await send(url, 'one', { id: 'inc-1', name: 'shop' })
  await expect.poll(() => silent.received.length).toBe(1)
  await stop(running)
})

test('start hands a run to serve; no more go on than may, and the rest waits in order', async () => {
  const service = await startService()
  await service.fault({ operation: 'catalog', delay_ms: 600_000 })
  const { folder, env } = await project(service.env())
  const refused = await opsbook(['start', 'register', '--input', 'name=a'], { folder, env })
  expect(refused).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('no "opsbook serve" is running in'),
  })
  const serving = await serveHere(folder, env, ['--max-runs', '1'])
  const elsewhere = ['start', 'register', '--input', 'name=a', '--connection', 'elsewere']
  expect(await opsbook(elsewhere, { folder, env })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('there is no connection "elsewere"'),
  })
  for (const name of ['a', 'b', 'c'])
    expect(await opsbook(['start', 'register', '--input', `name=${name}`], { folder, env })).toMatchObject({
      code: 0,
    })
  const statuses = async () => {
    const { runs } = await json(['runs'], folder, env)
    return runs.map(({ status }: { status: string }) => status).toReversed()
  }
  await expect.poll(statuses).toEqual(['running', 'queued', 'queued'])
  const metrics = await (await fetch(new URL('/metrics', serving.url))).text()
  expect(metrics).toContain('\nopsbook_queue_depth 2\n')
  const listed = await opsbook(['runs', '-n', '1', '-o', 'json'], { folder, env })
  const [newest] = JSON.parse(listed.stdout).runs
  expect(await opsbook(['cancel', newest.run_id, '--now'], { folder, env })).toMatchObject({ code: 0 })
  await expect.poll(statuses).toEqual(['running', 'queued', 'cancelled'])
  expect((await serving.stop()).code).toBe(0)
})

test('a database that cannot be written is not ready, and says why', async () => {
  const { folder, env } = await project({ OPSBOOK_BASE_URL: 'http://127.0.0.1:1', OPSBOOK_APP_KEY: 'k' })
  const serving = await serveHere(folder, env)
  const ready = async () => {
    const answer = await fetch(new URL('/readyz', serving.url))
    return { status: answer.status, text: await answer.text() }
  }
  expect(await ready()).toEqual({ status: 200, text: 'ready\n' })
  const other = openDatabase(env.OPSBOOK_DATA_DIR)
  other.exec('BEGIN IMMEDIATE')
  // The result is cached for 5 seconds.
  await expect.poll(ready).toEqual({
    status: 503,
    text: 'not ready: cannot write the journal: database is locked\n',
  })
  other.exec('ROLLBACK')
  other.close()
  await expect.poll(ready).toMatchObject({ status: 200 })
})

test('a second serve in one data directory is refused', async () => {
  const service = await startService()
  const { folder, env } = await project(service.env())
  await serveHere(folder, env)
  const second = await opsbook(['serve', '--listen', '127.0.0.1:0'], { folder, env })
  expect(second).toMatchObject({ code: 5, stderr: expect.stringContaining('another "opsbook serve"') })
})

describe('serve refuses to start', () => {
  const open = 'hooks: { alerts: {}, other: {} }\n'
  const guessed = 'hooks: { a: { auth: { type: hmac, header: X-Sig, secret: env:SHORT_SECRET } } }\n'
  interface Wrong {
    readonly words?: readonly string[]
    readonly yaml?: string
    readonly env?: Readonly<Record<string, string>>
    readonly file?: string
  }
  const cases: readonly (readonly [about: string, wrong: Wrong, code: number, says: string])[] = [
    [
      'open to others',
      { yaml: open, words: ['--listen', '0.0.0.0:0'] },
      2,
      'the hooks alerts, other have no',
    ],
    ['open to others by a name', { yaml: open, words: ['--listen', 'example.com:80'] }, 2, 'no auth'],
    ['without the secret of a hook', { env: { HOOK_SECRET: '' } }, 5, 'HOOK_SECRET is not set'],
    ['with a secret that is none', { env: { HOOK_SECRET: 'hunter2hunter2!' } }, 5, 'is not base64'],
    ['with a short secret', { env: { HOOK_SECRET: 'c2hvcnQ=' } }, 5, 'is shorter than 16 bytes'],
    ['with a wrong runbook', { file: 'name: broken\nsteps: []\n' }, 2, 'is not a valid runbook'],
    ['with two runbooks of one name', { file: runbook }, 2, 'are both called register'],
    ['with a runbook that is not there', { words: ['nowhere'] }, 2, 'there is no runbook "nowhere"'],
    ['without a port', { words: ['--listen', 'here'] }, 2, '--listen takes a host and a port'],
    [
      'with a secret in opsbook.yaml',
      { yaml: configuration.replace('env:HOOK_SECRET', secret) },
      2,
      'never the secret itself',
    ],
    [
      'with a short secret of a signature',
      { yaml: guessed, env: { SHORT_SECRET: 'hunter2' } },
      5,
      'SHORT_SECRET is shorter than 16 bytes',
    ],
  ]
  test.each(cases)('%s', async (_, { words = [], yaml, env: more = {}, file }, code, says) => {
    const { folder, env } = await project({ OPSBOOK_BASE_URL: 'http://127.0.0.1:1', OPSBOOK_APP_KEY: 'k' })
    if (yaml !== undefined) await writeFile(join(folder, 'opsbook.yaml'), yaml)
    if (file !== undefined) await writeFile(join(folder, 'runbooks/more.yaml'), file)
    const result = await opsbook(['serve', '--listen', '127.0.0.1:0', ...words], {
      folder,
      env: { ...env, ...more },
    })
    expect(result.stderr).toContain(says)
    expect(result.code).toBe(code)
    for (const hidden of [secret, 'hunter2']) expect(result.stdout + result.stderr).not.toContain(hidden)
  })
})

test('start says which run it has joined for the same concurrency key, and whether its inputs count', async () => {
  const { folder, env } = await project({ OPSBOOK_BASE_URL: 'http://127.0.0.1:1', OPSBOOK_APP_KEY: 'k' })
  const alone = `concurrency: { key: one, on-conflict: skip }\nsteps:\n  - id: ask\n    uses: core/approve\n    with: { message: go on? }\n`
  await writeFile(join(folder, 'runbooks/register.yaml'), runbook.replace(/steps:.*/s, alone))
  await serveHere(folder, env)
  const begin = (...words: string[]) => opsbook(['start', 'register', ...words], { folder, env })
  const first = await begin('--input', 'name=a', '--id', 'k')
  const runId = first.stdout.trim()
  const again = await begin('--input', 'name=a', '--id', 'k')
  expect(again).toMatchObject({
    stdout: first.stdout,
    stderr: expect.stringContaining('joined the run that was started with this key'),
  })
  const same = await begin('--input', 'name=a')
  expect(same.stdout).toBe(first.stdout)
  expect(same.stderr).toContain(`joins ${runId}, which runs with the same concurrency key "one"\n`)
  const other = await begin('--input', 'name=b')
  expect(other.stdout).toBe(first.stdout)
  expect(other.stderr).toContain('it has other inputs; yours are ignored')
})

test('a trigger of a hook that is not there is told of by serve', async () => {
  const { folder, env } = await project({ OPSBOOK_BASE_URL: 'http://127.0.0.1:1', OPSBOOK_APP_KEY: 'k' })
  const said =
    'trigger 1 of register starts nothing: there is no hook "incident" in opsbook.yaml; did you mean "incidents"?'
  const warned = async (yaml: string) => {
    await writeFile(join(folder, 'runbooks/register.yaml'), yaml)
    const { stderr } = await (await serveHere(folder, env)).stop()
    return stderr.includes(JSON.stringify(said).slice(1, -1))
  }
  const ofHook = (hook: string) => runbook.replace('type: incident\n', `type: incident\n    hook: ${hook}\n`)
  expect(await warned(ofHook('incident'))).toBe(true)
  expect(await warned(ofHook('incidents'))).toBe(false)
})

test('serve tells of every runbook that is not valid, with its findings', async () => {
  const { folder, env } = await project({ OPSBOOK_BASE_URL: 'http://127.0.0.1:1', OPSBOOK_APP_KEY: 'k' })
  for (const name of ['one', 'two'])
    await writeFile(
      join(folder, `runbooks/${name}.yaml`),
      `apiVersion: opsbook/v1\nname: ${name}\nsteps: []\n`,
    )
  const { code, stderr } = await opsbook(['serve', '--listen', '127.0.0.1:0'], { folder, env })
  expect(code).toBe(2)
  for (const name of ['one', 'two']) {
    expect(stderr).toContain(`${name}.yaml is not a valid runbook`)
    expect(stderr).toMatch(new RegExp(`${name}\\.yaml:\\d+:\\d+ `))
  }
})

test('what serve writes holds no secret, and is read by a program', async () => {
  const service = await startService()
  const { folder, env } = await project(service.env())
  const { url, stop } = await serveHere(folder, env)
  // Somebody sends the secret itself along, where it does not belong.
  await send(url, secret, { id: secret, name: 'shop' })
  await send(url, 'two', { id: 'inc-1', name: secret, labels: secret })
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'webhook-id': secret },
    body: secret,
  })
  const { stderr } = await stop()
  for (const line of stderr.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  expect(stderr).not.toContain(secret.slice(6))
})
