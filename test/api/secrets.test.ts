import { inspect } from 'node:util'
import { type CallLog, type Logger, RunbookError } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { clientOf, type StandIn, sendEnvelope, startSockets, startStandIn } from './stand-in.ts'

const key = 'k3y/With+Odd=Chars&"q"'
const token = 'bearer-t0ken/of+the+agent'
const agent = {
  agent_name: 'a',
  instructions: 'b',
  card_url: 'https://agents.example.com/card.json',
  auth_config: { 'my own name': token },
}

/** Every form in which a secret can be echoed. */
function formsOf(secret: string): readonly string[] {
  const inBase64 = ['', 'x', 'xy'].flatMap((before) => {
    const text = Buffer.from(`${before}${secret}zz`)
    return [text.toString('base64'), text.toString('base64url')]
  })
  const encoded = encodeURIComponent(secret)
  const lowerCase = encoded.replace(/%../g, (code) => code.toLowerCase())
  const everyByte = [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join('')
  return [secret, encoded, lowerCase, everyByte, JSON.stringify(secret), ...inBase64]
}

/** What is left of a secret when a text has been searched for it in all forms: nothing, hopefully. */
function leaks(text: string, secret: string): readonly string[] {
  const decoded = [...text.matchAll(/[\w+/=-]{12,}/g)].map(([run]) =>
    Buffer.from(run, 'base64').toString('latin1'),
  )
  const looked = [text, text.toLowerCase(), ...decoded]
  return [
    secret,
    secret.toLowerCase(),
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
  ].filter((form) => looked.some((piece) => piece.includes(form)))
}

/** Everything that a caller, a log or a debugger could see of an error. */
function seen(error: unknown): string {
  const chain: string[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    chain.push(inspect(cause, { depth: 10, showHidden: true }), cause.stack ?? '', JSON.stringify(cause))
  }
  return chain.join('\n')
}

const echoes: readonly (readonly [name: string, echo: string])[] = [...formsOf(key), ...formsOf(token)].map(
  (form) => [form.slice(0, 30), `no access with ${form} here`],
)

describe('secrets stay out of errors', () => {
  it.each(echoes)('that echo %s', async (_, echo) => {
    const service = await startStandIn((_received, response) => {
      response.setHeader('service-request-id', encodeURIComponent(echo))
      const error = { code: `Odd${echo}`, message: echo, [echo]: { nested: [echo] } }
      sendEnvelope(response, { error }, 401)
    })
    const error = await callOnce(service)
    expect(leaks(seen(error), key)).toEqual([])
    expect(leaks(seen(error), token)).toEqual([])
    expect((error as Error).message).toContain('***')
  })

  it('inside a failure that E4 reports', async () => {
    const service = await startStandIn(() => ({
      results: [],
      error: {
        code: 'forward_failed',
        message: `to ${key}`,
        target_kinds: [key],
        [key]: encodeURIComponent(key),
      },
    }))
    const client = service.client({ appKey: key })
    const error = await client.listTools({ target_locator: 'a' }).catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: 'forward_failed',
      message: 'to ***',
      details: { target_kinds: ['***'] },
    })
    expect(leaks(seen(error), key)).toEqual([])
  })

  it.each([
    ['HTML with the address', 'text/html', 502],
    ['JSON that is no envelope', 'application/json', 200],
    ['JSON that is cut short', 'application/json', 200],
    ['a redirect', 'text/html', 302],
  ])('that come with %s', async (name, type, status) => {
    const service = await startStandIn((received, response) => {
      response.writeHead(status, { 'content-type': type, location: `http://127.0.0.1:1${received.url}` })
      response.end(name.includes('cut') ? `{"url":"${received.url}` : `["${received.url}", "${key}"]`)
    })
    expect(leaks(seen(await callOnce(service)), key)).toEqual([])
  })

  it('of the network', async () => {
    const broken = await startSockets((socket) => {
      // Not HTTP, and a parser that quotes it would quote the request.
      socket.once('data', (chunk) => socket.end(chunk))
    })
    for (const baseUrl of [
      broken,
      'http://127.0.0.1:1',
      'http://no-such-host.invalid',
      broken.replace('http', 'https'),
    ]) {
      const error = await clientOf(baseUrl, { appKey: key })
        .createAgent(agent)
        .catch((error: unknown) => error)
      expect(RunbookError.is(error)).toBe(true)
      expect(leaks(seen(error), key)).toEqual([])
      expect(leaks(seen(error), token)).toEqual([])
    }
  })

  it('about an input', async () => {
    const client = clientOf('http://127.0.0.1:1', { appKey: key })
    const wrong = {
      ...agent,
      auth_type: token,
      auth_config: { token: { nested: token } },
      description: token,
    }
    const error = await client.createAgent(wrong as never).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'InvalidInput' })
    expect(leaks(seen(error), token)).toEqual([])
  })

  /** The error of one call with both secrets. */
  function callOnce(service: StandIn): Promise<unknown> {
    return service
      .client({ appKey: key })
      .attempt('createAgent', agent)
      .catch((error: unknown) => error)
  }
})

describe('the key stays out of results', () => {
  const preview = { ds_type: 'prometheus', ds_name: 'x', expr: 'up' }

  it.each(formsOf(key).map((form) => [form.slice(0, 30), form]))('that echo %s', async (_, form) => {
    const service = await startStandIn(() => ({
      status: 'success',
      self: `https://api.example.com/x?app_key=${form}`,
      [form]: [{ deep: form }],
    }))
    const answer = await service.client({ appKey: key }).previewDatasource(preview)
    expect(leaks(JSON.stringify(answer), key)).toEqual([])
    expect(leaks(inspect(answer, { depth: 10 }), key)).toEqual([])
    expect(answer.data).toMatchObject({ self: expect.stringContaining('app_key=') })
    expect(answer.warnings).toEqual(['in the answer, data.self and 2 more held the app key: masked'])
  })

  it.each([
    ['slashes', (text: string) => text.replaceAll('/', '\\/')],
    ['codes of characters', (text: string) => text.replaceAll('&', '\\u0026').replaceAll('y', '\\u0079')],
  ])('that escape it with %s', async (_, written) => {
    const data = written(JSON.stringify({ self: `/x?app_key=${key}` }))
    const service = await startStandIn((_received, response) =>
      sendEnvelope(response, `{"request_id":"r","data":${data}}`),
    )
    const answer = await service.client({ appKey: key }).previewDatasource(preview)
    expect(answer).toMatchObject({
      data: { self: '/x?app_key=***' },
      warnings: ['in the answer, data.self held the app key: masked'],
    })
  })

  it('and everything else is as it came: long, of many lines, with escapes', async () => {
    const data = {
      lines: `one\ntwo\u2028${'x'.repeat(5000)}`,
      url: 'a/b\u0001',
      list: [1, null, true, { a: [] }],
    }
    const service = await startStandIn(() => ({ ...data, self: key }))
    const answer = await service.client({ appKey: key }).previewDatasource(preview)
    expect(answer.data).toEqual({ ...data, self: '***' })
  })

  it('but not a key that is part of any word', async () => {
    const service = await startStandIn(() => ({ key: 'keyboard' }))
    const answer = await service.client({ appKey: 'key' }).previewDatasource(preview)
    expect(answer).toMatchObject({ data: { key: 'keyboard' }, warnings: [] })
  })
})

it('a message of the service is one line of bounded length without control characters', async () => {
  const message = `\u001b[31mred\u001b[0m\nnext line\u2028\u202e${'x'.repeat(5000)}`
  const service = await startStandIn((_received, response) => {
    sendEnvelope(response, { error: { code: 'AccessDenied', message } }, 403)
  })
  const error = await service
    .client()
    .listIngestionRules({ application_id: 'a' })
    .catch((error: unknown) => error)
  const shown = (error as Error).message
  expect(shown).toMatch(/^ \[31mred \[0m next line x+…$/)
  expect(shown.length).toBeLessThan(2100)
})

it('the client shows nothing of its key', () => {
  const client = clientOf('http://127.0.0.1:1', { appKey: key })
  expect(leaks(inspect(client, { depth: 10, showHidden: true }) + JSON.stringify(client), key)).toEqual([])
})

it('the log has every attempt, without keys, inputs and answers', async () => {
  const log: [level: string, fields: CallLog, message: string][] = []
  const logger: Logger = {
    debug: (fields, message) => log.push(['debug', fields, message]),
    warn: (fields, message) => log.push(['warn', fields, message]),
  }
  const service = await startStandIn((_received, response, count) => {
    if (count > 1) return { agent_id: 'secret-result' }
    sendEnvelope(response, { request_id: 'req-1', error: { code: 'RequestLocked', message: key } }, 423)
    return undefined
  })
  await service.client({ appKey: key, logger, retry: { attempts: 2, delayMs: 0 } }).createAgent(agent)
  const operation = 'safari/a2a-agent/create'
  const durationMs = expect.any(Number)
  expect(log).toEqual([
    ['warn', { operation, attempt: 1, durationMs, requestId: 'req-1', code: 'RequestLocked' }, 'call failed'],
    ['debug', { operation, attempt: 2, durationMs, requestId: 'req-2' }, 'call succeeded'],
  ])
})

it.each([
  [
    'throws',
    () => {
      throw new Error('disk full')
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
])('a listener that %s changes nothing', async (_, fail) => {
  const service = await startStandIn((_received, response, count) => {
    if (count !== 1) return { agent_id: 'x' }
    sendEnvelope(response, { request_id: 'req-1', error: { code: 'RequestLocked' } }, 423)
    return undefined
  })
  const logger = { debug: fail, warn: fail } as Logger
  const limits = { createAgent: { perSecond: 1 } }
  const client = service.client({ logger, limits, retry: { attempts: 2, delayMs: 1 } })
  const options = { onWait: fail as () => void }
  expect(await client.createAgent(agent, options)).toMatchObject({ requestId: 'req-2' })
  expect(await client.attempt('createAgent', agent, options)).toMatchObject({ requestId: 'req-3' })
})
