/** A server that `core/http` calls answers without end, with JSON that is dear to parse, or with a nest without bottom. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type Action, type ActionContext, createActions, type JsonObject, RunbookError } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { createMask, type Masking, secretMark } from '../../src/core/mask/mask.ts'
import { contextWith } from '../actions/context-with.ts'
import { sendEnvelope, startStandIn } from '../api/stand-in.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

const http = createActions().find(({ name }) => name === 'core/http') as Action
const json = { 'content-type': 'application/json' }

async function failureOf(input: JsonObject, changes: Partial<ActionContext> = {}): Promise<RunbookError> {
  const thrown: unknown = await http.run(input, contextWith(changes)).catch((error: unknown) => error)
  if (RunbookError.is(thrown)) return thrown
  throw new Error('no failure')
}

const whole = 33_000_000
const run = ['run', 'a.yaml', '--sandbox', '--allow-outside', '--output', 'json']

/** Sends one piece of JSON again and again, until the other side has enough. Counts what it could send. */
async function pour(response: ServerResponse, status: number): Promise<number> {
  response.writeHead(status, json)
  const piece = '{},'.repeat(20_000)
  response.write('[')
  let sent = 1
  while (!response.destroyed && sent < whole) {
    sent += piece.length
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')])
  }
  response.end('{}]')
  return sent
}

describe('an answer of 33 MB', () => {
  it.each([
    { about: 'a success', method: 'GET', status: 200, code: 'OutputTooLarge' },
    { about: 'a create that was done', method: 'POST', status: 201, code: 'OutputTooLarge' },
    { about: 'a refusal', method: 'POST', status: 404, code: 'HttpRefused' },
    { about: 'a failure', method: 'GET', status: 500, code: 'HttpFailed' },
  ])('$about: it is not read to its end', async ({ method, status, code }) => {
    let sent: Promise<number> | undefined
    const server = await startStandIn((_, response) => {
      sent = pour(response, status)
      return sent.then(() => undefined)
    })
    expect(await failureOf({ method, url: server.baseUrl })).toMatchObject({ code, notSent: false })
    // What fits into the buffers of both sockets goes out as well.
    expect(await sent).toBeLessThan(whole)
  })

  it('a run that has created something says so, and is not unknown', async () => {
    const server = await startStandIn(async (_, response) => {
      await pour(response, 201)
    })
    const folder = await newFolder({ 'a.yaml': runbook(server.baseUrl) })
    const { code, stdout } = await opsbook(run, { folder })
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { status: 'failed', error: { code: 'OutputTooLarge' } },
    ])
    expect(server.received).toHaveLength(1)
  })
})

describe('JSON that is nested 400,000 deep', () => {
  const deep = '['.repeat(400_000) + ']'.repeat(400_000)

  it.each([
    { status: 200, code: 'OutputTooLarge', message: /nested deeper than 100 levels .* save-as/ },
    { status: 404, code: 'HttpRefused', message: /^HTTP 404 \(/ },
  ])('as an answer of core/http: $status is $code', async ({ status, code, message }) => {
    const server = await startStandIn((_, response) => sendEnvelope(response, deep, status))
    const failure = await failureOf({ url: server.baseUrl })
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message) })
  })

  it('as an answer of the service: InvalidAnswer', async () => {
    const server = await startStandIn((_, response) => sendEnvelope(response, `{"data":${deep}}`))
    const client = server.client()
    const answer = client.listTools({ target_locator: 'web-01' })
    await expect(answer).rejects.toMatchObject({
      code: 'InvalidAnswer',
      message: expect.stringMatching(/nested deeper than 100 levels/),
    })
    await client.close()
  })

  it('100 levels are read', async () => {
    const fine = '['.repeat(100) + ']'.repeat(100)
    const server = await startStandIn((_, response) => sendEnvelope(response, fine))
    const { output } = await http.run({ url: server.baseUrl }, contextWith())
    expect(output).toMatchObject({ body: JSON.parse(fine) })
  })
})

describe('with save-as', () => {
  async function save(url: string, input: JsonObject = {}, mask: Masking = createMask()) {
    const folder = await newFolder()
    const artifacts = { folder, fileFor: async (name: string) => join(folder, name) }
    const context = contextWith({ artifacts, saveAs: 'answer.json', mask })
    const answer = http.run({ url, ...input }, context)
    return { folder, file: join(folder, 'answer.json'), answer }
  }

  it('an answer of any size goes to the file as it came', async () => {
    const body = `[${'{"a":"ü"},'.repeat(400_000)}{}]`
    const server = await startStandIn((_, response) => sendEnvelope(response, body))
    const { file, answer } = await save(server.baseUrl)
    const { output } = await answer
    expect(readFileSync(file, 'utf8')).toBe(body)
    const bytes = Buffer.byteLength(body)
    const sha256 = createHash('sha256').update(body).digest('hex')
    expect(output).toEqual({ path: 'answer.json', bytes, sha256 })
  })

  it('a secret of the step is in no file, wherever the pieces of the answer are cut', async () => {
    const secret = 'canary-4b1c9e0d-pässword'
    const body = `x${secret}y${secret.toUpperCase()}z${Buffer.from(`a${secret}`).toString('base64')}`
    const bytes = Buffer.from(body)
    const server = await startStandIn(async (_, response) => {
      response.writeHead(200, json)
      for (const byte of bytes) {
        response.write(Buffer.from([byte]))
        await new Promise(setImmediate)
      }
      response.end()
    })
    const headers = { 'secret-headers': { 'X-Key': { secret } } }
    // The header takes no letter beyond Latin-1 in another way.
    const mask = createMask([secret], secretMark)
    const { file, answer } = await save(server.baseUrl, headers, mask)
    await answer
    const kept = readFileSync(file, 'utf8')
    expect(kept).toMatch(/^x\*\*\*y\*\*\*z.{0,4}\*\*\*.{0,4}$/)
  })

  // The mask searches blocks of a megabyte and a half.
  it.each([1, 5, 20, 24])(
    'a secret that begins %i bytes before a block ends is in no file',
    async (before) => {
      const secret = 'canary-4b1c9e0d-pässword'
      const block = 2 * 12 * 64 * 1024
      const body = `${'x'.repeat(block - before)}${secret}${'y'.repeat(block)}${secret}`
      const server = await startStandIn((_, response) => sendEnvelope(response, body))
      const { file, answer } = await save(server.baseUrl, {}, createMask([secret], secretMark))
      await answer
      expect(readFileSync(file, 'utf8') === body.replaceAll(secret, secretMark)).toBe(true)
    },
  )

  it('a refusal writes no file', async () => {
    const server = await startStandIn((_, response) => sendEnvelope(response, '{}', 404))
    const { folder, answer } = await save(server.baseUrl)
    await expect(answer).rejects.toMatchObject({ code: 'HttpRefused' })
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    { method: 'GET', code: 'ConnectionLost' },
    { method: 'POST', code: 'OutcomeUnknown' },
  ])('an answer that breaks off leaves none: $method is $code', async ({ method, code }) => {
    const server = await startStandIn((_, response) => {
      response.writeHead(200, { ...json, 'content-length': '1000' })
      response.write('x'.repeat(500), () => response.destroy())
    })
    const { folder, answer } = await save(server.baseUrl, { method })
    await expect(answer).rejects.toMatchObject({ code })
    expect(readdirSync(folder)).toEqual([])
  })

  it('a run reads what the file is, and nothing of 33 MB is in its journal', async () => {
    const server = await startStandIn(async (_, response) => {
      await pour(response, 200)
    })
    const folder = await newFolder({ 'a.yaml': runbook(server.baseUrl, 'save-as: all.json') })
    const { code, stdout } = await opsbook([...run, '--data-dir', 'data'], { folder })
    const { run_id: runId, artifacts_dir: artifacts } = JSON.parse(stdout)
    expect([code, existsSync(join(artifacts, 'all.json'))]).toEqual([0, true])
    expect(runId).toBeTruthy()
    expect(readFileSync(join(folder, 'data/opsbook.db')).length).toBeLessThan(2_000_000)
  })
})

function runbook(url: string, more = ''): string {
  return `apiVersion: opsbook/v1
name: a
steps:
  - id: call
    uses: core/http
    ${more}
    with: { method: POST, url: "${url}", safety: create }
`
}
