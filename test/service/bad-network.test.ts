import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { openGateway } from './open-gateway.ts'
import { callThrough, openService, operationIds, type Service, validBodies } from './open-service.ts'

let service: Service
beforeAll(async () => {
  service = await openService()
})
afterEach(() => service.reset())
afterAll(() => service.close())

const isCreate = (id: string): boolean => id === 'E1' || id === 'E2'

describe('an address without an answer', () => {
  it.each(operationIds)('%s: refused before sending, so nothing was done', async (id) => {
    const closed = await openGateway(service.url)
    await closed.close()
    const client = service.client({ baseUrl: closed.url })
    const failure = await failureOf(callThrough(client, id, validBodies[id], service.file()))
    expect(failure).toMatchObject({ code: 'ConnectionRefused', notSent: true })
    expect(failure.message).toContain(closed.url)
  })

  it('a name that does not exist', async () => {
    const client = service.client({ baseUrl: 'http://opsbook.invalid' })
    const failure = await failureOf(client.createApplication(validBodies.E2))
    expect(failure).toMatchObject({ code: 'NameNotFound', notSent: true })
  })
})

describe('somebody else answers', () => {
  it.each(operationIds)('%s: a page is never an answer of the service', async (id) => {
    for (const status of [200, 403, 502]) {
      service.gateway.change = (_answer, { url }) => ({
        status,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: `<html><body>Log in to see ${url}</body></html>`,
      })
      const client = service.client({ baseUrl: service.gateway.url })
      const failure = await failureOf(callThrough(client, id, validBodies[id], service.file()))
      expect(failure.code).toBe(isCreate(id) ? 'OutcomeUnknown' : 'ForeignAnswer')
      expect(failure.message).toContain(`HTTP ${status}`)
      expect(failure.message).not.toContain('Log in')
    }
  })

  it.each(['E1', 'E9'] as const)('%s: a proxy that answers a page instead of connecting', async (id) => {
    const proxy = createServer((_request, response) => response.end('not here'))
    proxy.on('connect', (request, socket) => {
      const page = `<p>Not allowed: ${request.url}</p>`
      socket.end(
        `HTTP/1.1 403 Forbidden\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`,
      )
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const address = `http://user:pr0xy-password@127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const client = service.client({ proxy: address })
    const arrived = await service.receivedDuring(async () => {
      const call = callThrough(client, id, validBodies[id], service.file())
      const failure = await failureOf(call, ['sandbox-owner', 'pr0xy-password'])
      expect(failure).toMatchObject({ code: 'ProxyRefused', notSent: true })
    })
    expect(arrived).toEqual([])
    proxy.closeAllConnections()
    proxy.close()
  })
})
