import { rmSync } from 'node:fs'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { appKey, type Received, type StandIn, startStandIn } from './stand-in.ts'

const agent = { agent_name: 'a', instructions: 'b', card_url: 'https://agents.example.com/card.json' }
const _application = { application_name: 'a', type: 'browser', team_id: 1 }
const created = { agent_id: 'x', application_id: 'a', application_name: 'b', client_token: 'c', items: [] }
const record =
  '{"type":"session_meta","session_id":"s"}\n{"type":"user_message","seq":1,"ts":"t","content":"ü"}\n'

const startRecords = (): Promise<StandIn> =>
  startStandIn((_received, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'service-request-id': 'req-6' })
    response.end(record)
  })

/** Reads to the end, whatever comes. */
async function rest(lines: AsyncIterator<unknown>): Promise<void> {
  while (!(await lines.next()).done);
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('a request', () => {
  it('is a POST of JSON with the key in the query', async () => {
    const service = await startStandIn(() => created)
    const client = service.client({ baseUrl: `${service.baseUrl}/api/v1//` })
    await client.setPostMortemStatus({ post_mortem_id: 'p', status: 'published' })
    const [request] = service.received as [Received]
    expect(request.url).toBe(
      `/api/v1/incident/post-mortem/status/reset?app_key=${encodeURIComponent(appKey)}`,
    )
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-language': 'en',
      'accept-encoding': 'identity',
    })
    expect(JSON.parse(request.body)).toEqual({ post_mortem_id: 'p', status: 'published' })
  })

  it('asks for the language that is configured', async () => {
    const service = await startStandIn(() => created)
    await service.client({ acceptLanguage: 'de, en;q=0.5' }).createAgent(agent)
    expect(service.received[0]?.headers['accept-language']).toBe('de, en;q=0.5')
  })

  it('takes a connection that is open', async () => {
    const service = await startStandIn(() => created)
    const client = service.client({ limits: 'off' })
    for (let round = 0; round < 20; round++) {
      await client.listIngestionRules({ application_id: 'a' })
      // The connection is free again once the event loop continues after the answer.
      await new Promise(setImmediate)
    }
    expect(new Set(service.received.map(({ connection }) => connection)).size).toBe(1)
  })

  it('that creates something has a connection of its own', async () => {
    const service = await startStandIn(() => created)
    const client = service.client({ limits: 'off' })
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 20 }, () => client.createAgent(agent)))
    }
    expect(new Set(service.received.map(({ connection }) => connection)).size).toBe(100)
    expect(service.received[0]?.headers.connection).toBe('close')
  })
})

describe('the record of a session', () => {
  it('is exported to a file, with the id of the request', async () => {
    const service = await startRecords()
    const file = join(await temporaryFolder(), 'record.ndjson')
    const answer = await service.client().exportSession({ session_id: 's' }, { file })
    expect(answer).toMatchObject({ requestId: 'req-6', data: { path: file, lines: 2, complete: 'yes' } })
    expect(await readFile(file, 'utf8')).toBe(record)
    expect(service.received[0]?.headers.accept).toBe('application/x-ndjson, application/json')
  })

  it('is read line by line', async () => {
    const service = await startRecords()
    const lines: unknown[] = []
    for await (const line of service.client().streamSession({ session_id: 's' })) lines.push(line)
    expect(lines).toEqual([
      { type: 'session_meta', session_id: 's' },
      { type: 'user_message', seq: 1, ts: 't', content: 'ü' },
    ])
  })

  it('that is refused is the error of the service', async () => {
    const service = await startStandIn((_received, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"request_id":"r-7","error":{"code":"ResourceNotFound","message":"no such session"}}')
    })
    const file = join(await temporaryFolder(), 'record.ndjson')
    const error = { code: 'ResourceNotFound', message: 'no such session', requestId: 'r-7' }
    await expect(service.client().exportSession({ session_id: 's' }, { file })).rejects.toMatchObject(error)
    const lines = service.client().streamSession({ session_id: 's' })
    await expect(lines[Symbol.asyncIterator]().next()).rejects.toMatchObject(error)
  })

  it('that comes as an envelope is an InvalidAnswer', async () => {
    const service = await startStandIn(() => ({ lines: [] }))
    const file = join(await temporaryFolder(), 'record.ndjson')
    const call = service.client().exportSession({ session_id: 's' }, { file })
    await expect(call).rejects.toMatchObject({ code: 'InvalidAnswer' })
  })

  it('that breaks off is truncated, with the id of the request and the partial file', async () => {
    const service = await startStandIn((_received, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'service-request-id': 'req-6' })
      response.write(record, () => response.destroy())
    })
    const folder = await temporaryFolder()
    const call = service.client().exportSession({ session_id: 's' }, { file: join(folder, 'record.ndjson') })
    await expect(call).rejects.toMatchObject({
      code: 'TruncatedExport',
      requestId: 'req-6',
      // The last line was complete: the connection is the only sign.
      details: { signs: ['connection_closed_early'], bytes: Buffer.byteLength(record), lines: 2 },
    })
  })

  it('can be cancelled while it comes', async () => {
    const service = await startStandIn((_received, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write(record)
    })
    const folder = await temporaryFolder()
    const cancelled = { code: 'Cancelled', notSent: false }
    const reading = new AbortController()
    const lines = service.client().streamSession({ session_id: 's' }, { signal: reading.signal })
    const iterator = lines[Symbol.asyncIterator]()
    expect(await iterator.next()).toMatchObject({ value: { type: 'session_meta' } })
    reading.abort()
    await expect(rest(iterator)).rejects.toMatchObject(cancelled)
    const writing = new AbortController()
    const file = join(folder, 'record.ndjson')
    const call = service.client().exportSession({ session_id: 's' }, { file, signal: writing.signal })
    await expect.poll(() => service.received.length).toBe(2)
    writing.abort()
    await expect(call).rejects.toMatchObject(cancelled)
    expect(await readdir(folder)).toEqual([])
  })

  it('is ended by a reader that has seen enough', async () => {
    let isClosed = false
    const service = await startStandIn((_received, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write(record)
      response.on('close', () => {
        isClosed = true
      })
    })
    for await (const line of service.client().streamSession({ session_id: 's' })) {
      expect(line.type).toBe('session_meta')
      break
    }
    await expect.poll(() => isClosed).toBe(true)
  })
})

describe('a client that is closed', () => {
  it('ends open streams, also without a reader', async () => {
    const service = await startStandIn((_received, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write(record)
    })
    const client = service.client()
    const [left, read] = await Promise.all(
      [1, 2].map(async () => {
        const iterator = client.streamSession({ session_id: 's' })[Symbol.asyncIterator]()
        await iterator.next()
        return iterator
      }),
    )
    const ending = rest(read as AsyncIterator<unknown>).catch((error: unknown) => error)
    await client.close()
    const closed = { code: 'Cancelled', notSent: false, cause: { message: 'the client is closed' } }
    expect(await ending).toMatchObject(closed)
    // Not an end that looks like that of a whole record.
    await expect(rest(left as AsyncIterator<unknown>)).rejects.toMatchObject(closed)
  })

  it('lets its calls end and refuses new ones', async () => {
    let answer = (): void => {}
    const service = await startStandIn(
      () =>
        new Promise((resolve) => {
          answer = () => resolve(created)
        }),
    )
    const client = service.client()
    const call = client.listIngestionRules({ application_id: 'a' })
    await expect.poll(() => service.received.length).toBe(1)
    const closing = client.close()
    const late = { code: 'Cancelled', message: 'the client is closed', notSent: true }
    await expect(client.listIngestionRules({ application_id: 'a' })).rejects.toMatchObject(late)
    answer()
    expect((await call).data.items).toEqual([])
    await closing
  })
})
