import { describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { callThrough, openService, operationIds, paths, validBodies } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

const json = { 'content-type': 'application/json' }
const isStream = (id: string): boolean => id === 'E6'

describe('every operation', () => {
  it.each(operationIds)(`${proves('§conventions.request')} %s`, async (id) => {
    const client = service.client({ baseUrl: service.gateway.url })
    await callThrough(client, id, validBodies[id], service.file())
    const sent = service.gateway.requests.at(-1)
    expect(sent).toMatchObject({ method: 'POST', headers: json })
    expect(sent?.url.split('?')[0]).toBe(paths[id])
    expect(JSON.parse(sent?.body ?? '')).toEqual(validBodies[id])

    const url = `${paths[id]}?app_key=sandbox-owner`
    const body = JSON.stringify(validBodies[id])
    const refusals = [
      await service.send(url, { method: 'GET' }),
      await service.send(url, { method: 'PUT', headers: json, body }),
      await service.send(url, { headers: { 'content-type': 'text/plain' }, body }),
      await service.send(url, { headers: json, body: body.slice(1) }),
      await service.send(url, { headers: json, body: `[${body}]` }),
    ]
    expect(refusals.map((reply) => `${reply.status} ${reply.json.error.code}`)).toEqual([
      '405 MethodNotAllowed',
      '405 MethodNotAllowed',
      '400 InvalidContentType',
      '400 BadRequest',
      '400 InvalidParameter',
    ])
  })

  it.each(operationIds)(
    `${proves('§conventions.envelope', '§conventions.stream', '§envelope.data', '§envelope.error')} %s`,
    async (id) => {
      const [good, bad] = [await service.call(id), await service.call(id, validBodies[id], 'nobody')]
      const isJson = 'application/json; charset=utf-8'
      expect(good.headers['content-type']).toBe(isStream(id) ? 'application/x-ndjson' : isJson)
      expect(bad.headers['content-type']).toBe(isJson)
      if (!isStream(id)) {
        const fields = id === 'E7' ? ['request_id'] : ['request_id', 'data']
        expect(Object.keys(good.json)).toEqual(fields)
      }
      expect(Object.keys(bad.json)).toEqual(['request_id', 'error'])
      expect(bad.json.request_id).toMatch(/./)
    },
  )

  it.each(operationIds)(`${proves('§envelope.request_id')} %s`, async (id) => {
    const good = await service.call(id)
    const bad = await service.call(id, validBodies[id], 'nobody')
    for (const { headers, json: envelope } of isStream(id) ? [bad] : [good, bad]) {
      expect(headers['service-request-id']).toBe(envelope.request_id)
    }
    expect(good.headers['service-request-id']).not.toBe(bad.headers['service-request-id'])
    let ids: readonly unknown[] = []
    const arrived = await service.receivedDuring(async () => {
      const { requestId, requestIds } = await service.through(id)
      const failure = await failureOf(service.through(id, validBodies[id], 'nobody'))
      expect(requestIds).toEqual([requestId])
      ids = [requestId, failure.requestId]
    })
    expect(arrived.map(({ request_id }) => request_id)).toEqual(ids)
  })

  it(proves('§versioning.paths'), async () => {
    for (const path of Object.values(paths)) {
      const [last = ''] = path.split('/').slice(-1)
      for (const versioned of [`/v1${path}`, path.replace(last, `v1/${last}`)]) {
        const { json: envelope } = await service.send(`${versioned}?app_key=sandbox-owner`, {
          headers: json,
          body: '{}',
        })
        expect(envelope.error.code).toBe('RouteNotFound')
      }
    }
    const arrived = await service.receivedDuring(async () => {
      for (const id of operationIds) await service.through(id)
    })
    expect(arrived.map(({ path }) => path)).toEqual(operationIds.map((id) => paths[id]))
  })
})

describe('the audit log', () => {
  it(proves('§conventions.audit', '§conventions.no-secrets'), async () => {
    const auth_config = { token: 'a-credential-of-the-agent' }
    const arrived = await service.receivedDuring(async () => {
      for (const id of [...operationIds, 'catalog'] as const) {
        await service.through(id, id === 'E1' ? { ...validBodies.E1, auth_config } : validBodies[id])
        await failureOf(service.through(id, validBodies[id], 'nobody'))
      }
    })
    const changes = arrived.filter(
      ({ operation, executed }) => executed && ['E1', 'E2', 'E7', 'E8'].includes(String(operation)),
    )
    const { entries } = await service.control('audit')
    expect(
      entries.map((entry: { operation: string; request_id: string }) => [entry.operation, entry.request_id]),
    ).toEqual(changes.map(({ operation, request_id }) => [operation, request_id]))
    expect(entries).toHaveLength(4)
    expect(JSON.stringify(entries)).not.toContain(auth_config.token)
  })
})

describe('versions', () => {
  it(proves('§versioning.tool_version'), async () => {
    const { data } = await service.client().listTools({ target_locator: 'web-01' })
    const tools = data.tools.slice(0, 8).map(({ name }) => ({ tool: name }))
    const { results } = (await service.client().invokeTools({ target_locator: 'web-01', tools })).data
    for (const { tool_version } of results) expect(tool_version).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it(proves('§versioning.description'), async () => {
    const body = { ...validBodies.E1, description: validBodies.E1.instructions }
    const [arrived] = await service.receivedDuring(() => service.through('E1', body))
    expect(arrived).toMatchObject({ code: 'OK', body, unknown_fields: [] })
  })
})
