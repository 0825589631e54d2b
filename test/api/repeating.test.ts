import type { ServerResponse } from 'node:http'
import { type CallWait, operations } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { type Answering, clientOf, sendError, startStandIn } from './stand-in.ts'

const agent = { agent_name: 'a', instructions: 'b', card_url: 'https://agents.example.com/card.json' }
const rule = { application_id: 'a', rule_id: 'r' }
const rules = { application_id: 'a' }
const retry = { attempts: 3, delayMs: 0 }
const created = { agent_id: 'x', items: [] }

/** Answers each request by the next of these, and then with data. */
function script(...steps: readonly ((response: ServerResponse) => void)[]): Answering {
  return (_received, response, count) => {
    const step = steps[count - 1]
    if (!step) return created
    step(response)
    return undefined
  }
}

const lost = (response: ServerResponse): void => {
  response.destroy()
}
const says =
  (code: string, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    sendError(response, code)
  }

describe('a call that fails', () => {
  it('is made once where nothing else is said', async () => {
    const service = await startStandIn(script(says('InternalError')))
    await expect(service.client().listIngestionRules(rules)).rejects.toMatchObject({
      code: 'InternalError',
      requestId: 'req-error',
    })
    expect(service.received).toHaveLength(1)
  })

  it('is repeated for as long as the policy allows, where it reads', async () => {
    const service = await startStandIn(script(lost, says('ServiceUnavailable')))
    expect(await service.client({ retry }).listIngestionRules(rules)).toMatchObject({ requestId: 'req-3' })
  })

  it('ends with its last error', async () => {
    const service = await startStandIn(script(lost, lost, says('ServiceUnavailable')))
    const call = service.client({ retry }).listIngestionRules(rules)
    await expect(call).rejects.toMatchObject({ code: 'ServiceUnavailable' })
    expect(service.received).toHaveLength(3)
  })

  it('is not repeated where that would not help', async () => {
    const service = await startStandIn(script(says('AccessDenied')))
    await expect(service.client({ retry }).listIngestionRules(rules)).rejects.toMatchObject({
      code: 'AccessDenied',
    })
    expect(service.received).toHaveLength(1)
  })

  it('is never repeated by `attempt`', async () => {
    const service = await startStandIn(script(lost, lost))
    const call = service.client({ retry }).attempt('listIngestionRules', rules)
    await expect(call).rejects.toMatchObject({ code: 'ConnectionLost' })
    expect(service.received).toHaveLength(1)
  })

  it.each([
    ['lost', lost, 'ConnectionLost'],
    ['InternalError', says('InternalError'), 'InternalError'],
    [
      'an answer of nobody',
      (response: ServerResponse) => response.writeHead(502).end('<html>'),
      'ForeignAnswer',
    ],
    [
      'a redirect after it was done',
      (response: ServerResponse) => response.writeHead(303, { location: '/agents/1' }).end(),
      'RedirectRefused',
    ],
    ['an unknown code', says('BrandNew'), 'BrandNew'],
  ])('is an unknown outcome, once, where it creates: %s', async (_, step, code) => {
    const service = await startStandIn(script(step))
    const call = service.client({ retry: { ...retry, errors: [code] } }).createAgent(agent)
    await expect(call).rejects.toMatchObject({
      code: 'OutcomeUnknown',
      cause: { code },
      details: { errors: [{ code }] },
    })
    expect(service.received).toHaveLength(1)
  })

  it('is repeated where it creates, if the failure proves that nothing was done', async () => {
    const service = await startStandIn(script(says('RequestLocked'), says('RequestLocked')))
    expect(await service.client({ retry }).createAgent(agent)).toMatchObject({ data: { agent_id: 'x' } })
    const refused = await clientOf('http://127.0.0.1:1', { retry })
      .createAgent(agent)
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'ConnectionRefused', notSent: true })
  })

  it('is repeated where twice is as good as once', async () => {
    const service = await startStandIn(script(lost))
    expect(await service.client({ retry }).disableRule(rule)).toMatchObject({ requestId: 'req-2' })
  })

  it('is an unknown outcome where a repeat is refused after a lost answer', async () => {
    const service = await startStandIn(script(lost, says('ResourceNotFound')))
    await expect(service.client({ retry }).disableRule(rule)).rejects.toMatchObject({
      code: 'OutcomeUnknown',
      details: { errors: [{ code: 'ConnectionLost' }, { code: 'ResourceNotFound' }] },
    })
  })

  it('is not repeated at once because the pause is longer than a timer can hold', async () => {
    const service = await startStandIn(script(lost))
    const pause = 2 ** 31 + 5000
    const client = service.client({ retry: { attempts: 2, delayMs: pause, maxDelayMs: pause } })
    const stop = new AbortController()
    const onWait = (): unknown => setTimeout(() => stop.abort(), 200)
    const call = client.listIngestionRules(rules, { signal: stop.signal, onWait })
    await expect(call).rejects.toMatchObject({ code: 'Cancelled' })
    expect(service.received).toHaveLength(1)
  })

  it('reports the wait before the retry', async () => {
    const service = await startStandIn(script(lost))
    const waits: CallWait[] = []
    const client = service.client({ retry: { attempts: 2, delayMs: 5 } })
    await client.listIngestionRules(rules, { onWait: (wait) => waits.push(wait) })
    expect(waits).toEqual([{ reason: 'retry', untilMs: expect.any(Number) }])
  })
})

describe('items in a batch', () => {
  const toolCalls = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ tool: `tool-${index}` }))
  /** Every tool answers with its name, but those that `failing` names. */
  const diagnostics =
    (failing: (tool: string, count: number) => string | undefined = () => undefined): Answering =>
    ({ body }, _response, count) => ({
      target: { kind: 'host', locator: 'web-01' },
      results: (JSON.parse(body).tools as { tool: string }[]).map(({ tool }) => {
        const code = failing(tool, count)
        return code
          ? { tool, data: null, error: { code, message: 'm' } }
          : { tool, data: { data: { count } }, error: null }
      }),
      error: null,
    })

  it('that fail for the moment are repeated, and only they', async () => {
    const service = await startStandIn(
      diagnostics((tool, count) =>
        count === 1 && ['tool-1', 'tool-3'].includes(tool) ? 'overloaded' : undefined,
      ),
    )
    const call = service.client({ retry }).invokeTools({ target_locator: 'web-01', tools: toolCalls(5) })
    expect((await call).data).toMatchObject({ succeeded: 5, failed: 0 })
    expect(JSON.parse(service.received[1]?.body ?? '').tools).toEqual([
      { tool: 'tool-1', params: {} },
      { tool: 'tool-3', params: {} },
    ])
  })

  it('of a group whose answer was lost fail with its error', async () => {
    const answering = diagnostics()
    const service = await startStandIn((received, response, count) => {
      if (count === 2) response.destroy()
      else return answering(received, response, count)
      return undefined
    })
    const { data } = await service.client().invokeTools({ target_locator: 'web-01', tools: toolCalls(20) })
    expect(data).toMatchObject({ total: 20, succeeded: 12, failed: 8 })
    expect(data.results[8]).toMatchObject({ tool: 'tool-8', data: null, error: { code: 'ConnectionLost' } })
  })

  it('are refused together where no group got an answer', async () => {
    const service = await startStandIn((_received, response) => {
      response.destroy()
    })
    const call = service.client().invokeTools({ target_locator: 'web-01', tools: toolCalls(9) })
    await expect(call).rejects.toMatchObject({ code: 'ConnectionLost' })
  })

  it('are looked up in groups of 200, and what is not known is named', async () => {
    const service = await startStandIn(({ body }) => ({
      items: (JSON.parse(body).application_ids as string[])
        .filter((id) => id !== 'app-7')
        .map((application_id) => ({ application_id }))
        .reverse(),
    }))
    const application_ids = Array.from({ length: 450 }, (_, index) => `app-${index}`)
    const { data } = await service.client().getApplications({ application_ids })
    expect(service.received.map(({ body }) => JSON.parse(body).application_ids.length)).toEqual([
      200, 200, 50,
    ])
    expect(data.missing).toEqual(['app-7'])
    expect(data.items.map(({ application_id }) => application_id)).toEqual(
      application_ids.filter((id) => id !== 'app-7'),
    )
  })

  it('that were looked up in vain are no success', async () => {
    const service = await startStandIn((_received, response, count) => {
      if (count > 1) response.destroy()
      else return { items: [] }
      return undefined
    })
    const application_ids = Array.from({ length: 201 }, (_, index) => `app-${index}`)
    const call = service.client().getApplications({ application_ids })
    await expect(call).rejects.toMatchObject({
      code: 'TooManyFailures',
      message: expect.stringContaining('(ConnectionLost: app-200)'),
    })
  })

  it('are those that the table says', () => {
    const batched = Object.entries(operations).filter(([, { batch }]) => batch !== undefined)
    // The types of the answers name them: `BatchedMethod`.
    expect(batched.map(([method]) => method).sort()).toEqual(['getApplications', 'invokeTools'])
  })
})
