import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startSandbox } from 'opsbook/sandbox'
import { request } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type OpenSandbox, openSandbox, paths, validBodies } from './open-sandbox.ts'

const operationIds = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8', 'E9', 'catalog'] as const

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'opsbook-sandbox-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const open: OpenSandbox[] = []
const start = async (...options: Parameters<typeof openSandbox>): Promise<OpenSandbox> => {
  const sandbox = await openSandbox(...options)
  open.push(sandbox)
  return sandbox
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()))
})

/** Everything that calls can change. */
const changes = async (sandbox: OpenSandbox) => {
  const { seed, counters, agents, applications, post_mortems, audit } = await sandbox.control('state')
  return { seed, counters, agents, applications, post_mortems, audit }
}

describe('the same seed', () => {
  const answers = async (seed?: string | number): Promise<readonly string[]> => {
    const sandbox = await start(seed === undefined ? {} : { seed })
    await sandbox.control('clock', { now: '2026-02-01T00:00:00Z' })
    const texts: string[] = []
    for (const id of [...operationIds, 'E1', 'E2'] as const) texts.push((await sandbox.call(id)).text)
    return [...texts, JSON.stringify(await changes(sandbox))]
  }

  it('gives the same answers, byte for byte; another one other ids', async () => {
    const first = await answers()
    expect(await answers()).toEqual(first)
    expect(await answers('opsbook')).toEqual(first)
    const other = await answers(7)
    expect(await answers('7')).toEqual(other)
    for (const [index, text] of other.entries()) if (index !== 5) expect(text).not.toBe(first[index])
    expect(new Set(first).size).toBe(first.length)
  })
})

describe('reset', () => {
  it('brings the first day back, and with it the same ids', async () => {
    const sandbox = await start()
    await sandbox.control('clock', { now: '2026-02-01T00:00:00Z' })
    const firstDay = await changes(sandbox)
    const first = (await sandbox.call('E1')).text
    await sandbox.call('E7')
    await sandbox.control('config', { shape: 'newer', latency_ms: 5 })
    await sandbox.control('faults', [{ operation: 'E5', error: 'NoLicense' }])
    await sandbox.control('reset', {})
    expect(await changes(sandbox)).toEqual(firstDay)
    expect(await sandbox.control('config')).toMatchObject({ shape: 'document', latency_ms: 0 })
    expect((await sandbox.control('faults')).faults).toEqual([])
    expect((await sandbox.control('requests')).received).toBe(0)
    expect((await sandbox.call('E1')).text).toBe(first)
    expect(await sandbox.control('reset', { seed: 'other' })).toEqual({ seed: 'other' })
    expect((await sandbox.call('E1')).text).not.toBe(first)
  })
})

describe('a state file', () => {
  it('holds everything that was answered, also when nothing ended the sandbox properly', async () => {
    const stateFile = join(folder, 'killed.json')
    const killed = await start({ stateFile })
    await killed.control('clock', { now: '2026-02-01T00:00:00Z' })
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        killed.call('E2', { ...validBodies.E2, application_name: `app-${index}` }),
      ),
    )
    for (const id of ['E1', 'E7', 'E8'] as const) await killed.call(id)
    // Nothing is closed: whatever is in the file now is what a kill would leave.
    const copy = join(folder, 'copy.json')
    writeFileSync(copy, readFileSync(stateFile))
    const next = await start({ stateFile: copy })
    expect(await changes(next)).toEqual(await changes(killed))
    expect(await next.control('clock')).toMatchObject({ now: '2026-02-01T00:00:00.000Z', running: false })
    const application_ids = replies.map(({ json }) => json.data.application_id)
    expect((await next.call('E3', { application_ids })).json.data.items).toHaveLength(20)
    const again = await next.call('E2')
    expect(application_ids).not.toContain(again.json.data.application_id)
    expect(replies.map(({ json }) => json.request_id)).not.toContain(again.json.request_id)
  })

  it('is whole at every moment', async () => {
    const stateFile = join(folder, 'whole.json')
    const sandbox = await start({ stateFile, limits: false })
    const writing = Promise.all(Array.from({ length: 40 }, () => sandbox.call('E2')))
    let reads = 0
    let done = false
    const finished = writing.then(() => {
      done = true
    })
    while (!done) {
      expect(JSON.parse(readFileSync(stateFile, 'utf8')).format).toBe(1)
      reads += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    await finished
    expect(reads).toBeGreaterThan(1)
    await sandbox.close()
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('is written at the end too, and a reset reaches it', async () => {
    const stateFile = join(folder, 'reset.json')
    const sandbox = await start({ stateFile })
    await sandbox.call('E1')
    await sandbox.control('reset', {})
    await sandbox.close()
    expect(JSON.parse(readFileSync(stateFile, 'utf8')).world).toMatchObject({ agents: [], counters: {} })
  })

  it('that cannot be written makes the call an InternalError', async () => {
    const lost = mkdtempSync(join(tmpdir(), 'opsbook-lost-'))
    const sandbox = await startSandbox({ stateFile: join(lost, 'state.json') })
    const call = async (path: string, body: object): Promise<unknown> => {
      const { body: answer } = await request(`${sandbox.url}${path}?app_key=sandbox-owner`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return answer.json()
    }
    rmSync(lost, { recursive: true })
    expect(await call(paths.E1, validBodies.E1)).toMatchObject({ error: { code: 'InternalError' } })
    await expect(sandbox.close()).rejects.toThrow('ENOENT')
  })

  it.each([
    ['', 'JSON'],
    ['{"format":1', 'JSON'],
    ['[]', 'format'],
    ['{"format":2}', 'format'],
    ['{"format":1,"starts":1,"clock":{"kind":"running","offsetMs":0}}', 'missing'],
    ['{"format":1,"starts":1,"clock":{},"world":{"seed":"x","counters":{}}}', 'agents'],
  ])('that is none is refused and left alone: %s', async (text, reason) => {
    const stateFile = join(folder, 'foreign.json')
    writeFileSync(stateFile, text)
    await expect(openSandbox({ stateFile })).rejects.toThrow(reason)
    expect(readFileSync(stateFile, 'utf8')).toBe(text)
  })
})

describe('the end', () => {
  it('does not wait for idle connections, streams, slow tools or held answers', async () => {
    const sandbox = await start({ limits: false })
    await sandbox.control('faults', [{ operation: 'E5', delay_ms: 600_000 }])
    const headers = { 'content-type': 'application/json' }
    const post = (path: string, body: object) =>
      request(`${sandbox.url}${path}?app_key=sandbox-owner`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
    const stream = await post(paths.E6, { session_id: 'sess_capped' })
    const held = post(paths.E5, validBodies.E5)
    const slow = post(paths.E4, { ...validBodies.E4, target_locator: 'slow-01' })
    const ends = Promise.allSettled([stream.body.text(), held, slow])
    await expect.poll(async () => (await sandbox.control('requests')).received).toBe(3)
    // The held answer alone would take ten minutes: a sandbox that waited would fail the test by its time limit.
    await Promise.all([sandbox.close(), sandbox.close()])
    await ends
  })

  it('leaves nothing behind that keeps the process alive', { timeout: 60_000 }, async () => {
    const door = new URL('../../src/sandbox/index.ts', import.meta.url)
    const program = `
      import { startSandbox } from '${door}'
      const sandbox = await startSandbox({ latencyMs: 600_000 })
      const call = fetch(sandbox.url + '${paths.E5}?app_key=nobody', { method: 'POST' }).then(() => 'answered', () => 'cut')
      let received = 0
      while (received === 0) received = (await (await fetch(sandbox.url + '/_sandbox/requests')).json()).received
      await sandbox.close()
      process.stdout.write(await call)
    `
    const words = ['--import', 'tsx', '--input-type=module', '--eval', program]
    expect(await promisify(execFile)(process.execPath, words)).toEqual({ stdout: 'cut', stderr: '' })
  })

  it('frees the port; one that is taken is said at the start', async () => {
    const first = await startSandbox()
    const port = Number(new URL(first.url).port)
    await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await first.close()
    const second = await start({ port })
    expect(second.url).toBe(`http://127.0.0.1:${port}`)
  })

  it.each([
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/],
  ])('listens on %s', async (host, url) => {
    const sandbox = await start({ host })
    expect(sandbox.url).toMatch(url)
    expect((await sandbox.call('E5')).status).toBe(200)
  })
})
