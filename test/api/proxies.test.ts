import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { RunbookError } from 'opsbook/api'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { noProxy } from '../../src/api/http/index.ts'
import { selfSigned } from './self-signed.ts'
import { clientOf, startSockets, startStandIn } from './stand-in.ts'

const agent = { agent_name: 'a', instructions: 'b', card_url: 'https://agents.example.com/card.json' }
const rules = { application_id: 'a' }
const created = { agent_id: 'x', items: [] }
const variables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY']

interface Proxy {
  readonly url: string
  readonly asked: readonly IncomingMessage[]
}

/** A proxy that connects everything, or refuses everything with a status. */
async function startProxy(refusal?: string): Promise<Proxy> {
  const asked: IncomingMessage[] = []
  const sockets = new Set<Socket>()
  const server = createHttpServer((_request, response) => response.writeHead(500).end())
  server.on('connect', (request, socket: Socket) => {
    asked.push(request)
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal}\r\ncontent-type: text/html\r\n\r\n<html>${'no '.repeat(1000)}</html>`)
      return
    }
    const { hostname, port } = new URL(`http://${request.url}`)
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(target).pipe(socket)
    })
    for (const end of [socket, target]) {
      sockets.add(end)
      end.on('error', () => {})
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

function setVariables(values: Readonly<Record<string, string>>): void {
  for (const name of variables) vi.stubEnv(name, values[name])
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a proxy', () => {
  it.each(['http_proxy', 'HTTP_PROXY'])('is taken from %s', async (name) => {
    const [proxy, service] = [await startProxy(), await startStandIn(() => created)]
    setVariables({ [name]: proxy.url })
    const client = service.client({ proxy: undefined as never })
    await client.listIngestionRules(rules)
    const whenOpen: unknown[] = []
    const beforeSending = async (): Promise<void> =>
      void whenOpen.push([proxy.asked.length, service.received.length])
    await client.attempt('createAgent', agent, { beforeSending })
    expect(whenOpen).toEqual([[2, 1]])
    expect(proxy.asked.map(({ url }) => `http://${url}`)).toEqual([service.baseUrl, service.baseUrl])
  })

  it('is left out for the hosts of NO_PROXY', async () => {
    const [proxy, service] = [await startProxy(), await startStandIn(() => created)]
    setVariables({ HTTP_PROXY: proxy.url, NO_PROXY: 'example.com,127.0.0.1' })
    await service.client({ proxy: undefined as never }).listIngestionRules(rules)
    expect(proxy.asked).toHaveLength(0)
  })

  it.each([
    ['::1', ['[::1]']],
    ['0:0::1,[::1]:8080', ['[::1]', '[::1]:8080']],
    ['::1:8080', ['[::1:8080]', '[::1]:8080']],
    ['::1:18084', ['[::1]:18084']],
    ['*.example.com, 10.0.0.1:80', ['*.example.com', '10.0.0.1:80']],
    ['', ['']],
  ])('is left out for %j of NO_PROXY, as URLs have it', (given, expected) => {
    setVariables({ NO_PROXY: given })
    expect(noProxy()).toBe(expected.join(','))
  })

  it('is left out for an address of IPv6', async () => {
    const [proxy, service] = [await startProxy(), await startStandIn(() => created, '::1')]
    setVariables({ HTTP_PROXY: proxy.url, NO_PROXY: '::1' })
    await service.client({ proxy: undefined as never }).listIngestionRules(rules)
    expect(proxy.asked).toHaveLength(0)
  })

  it('can be named, with credentials, whatever the variables say', async () => {
    const [proxy, service] = [await startProxy(), await startStandIn(() => created)]
    setVariables({ HTTP_PROXY: 'http://127.0.0.1:1' })
    const url = proxy.url.replace('http://', 'http://user:p%40ss@')
    expect(await service.client({ proxy: url }).createAgent(agent)).toMatchObject({ requestId: 'req-1' })
    const basic = `Basic ${Buffer.from('user:p@ss').toString('base64')}`
    expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(basic)
  })

  it('can be ruled out', async () => {
    const service = await startStandIn(() => created)
    setVariables({ HTTP_PROXY: 'http://127.0.0.1:1' })
    expect(await service.client({ proxy: 'none' }).listIngestionRules(rules)).toMatchObject({
      requestId: 'req-1',
    })
  })

  it.each(['407 Proxy Authentication Required', '403 Forbidden', '502 Bad Gateway'])(
    'that says %s has sent nothing on',
    async (refusal) => {
      const [proxy, service] = [await startProxy(refusal), await startStandIn(() => created)]
      const client = service.client({ proxy: proxy.url.replace('http://', 'http://user:hidden-word@') })
      const error = await client.createAgent(agent).catch((error: unknown) => error)
      expect(error).toMatchObject({ code: 'ProxyRefused', notSent: true })
      expect(inspect(error, { depth: 9 })).not.toContain('hidden-word')
      expect(service.received).toHaveLength(0)
    },
  )

  it('that is not there has sent nothing on', async () => {
    const client = clientOf('http://127.0.0.1:2', { proxy: 'http://127.0.0.1:1' })
    const error = await client.createAgent(agent).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'ConnectionRefused', notSent: true })
  })

  it('that hangs up or never answers has sent nothing on', async () => {
    const rude = clientOf('http://127.0.0.1:2', {
      proxy: await startSockets((socket) => socket.once('data', () => socket.destroy())),
    })
    await expect(rude.createAgent(agent)).rejects.toMatchObject({ code: 'ProxyRefused', notSent: true })
    const mute = clientOf('http://127.0.0.1:2', { proxy: await startSockets(() => {}) })
    const call = mute.createAgent(agent, { timeoutMs: 200 })
    await expect(call).rejects.toMatchObject({ code: 'ConnectTimeout', notSent: true })
  })

  it.each(['user:hidden-word@nonsense', 'http://user:hidden-word100%@proxy.example.com:8080'])(
    'with an address that is none is refused at once: %s',
    (address) => {
      setVariables({ HTTPS_PROXY: address })
      const open = (): unknown => clientOf('https://api.example.com', { proxy: undefined as never })
      expect(open).toThrow(
        expect.objectContaining({ code: 'InvalidInput', message: expect.stringContaining('HTTPS_PROXY') }),
      )
      expect(open).not.toThrow(/hidden-word/)
    },
  )
})

it('an untrusted certificate is TlsFailed, and nothing was sent', async () => {
  let requests = 0
  const server = createHttpsServer(selfSigned, (_request, response) => {
    requests++
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const error = await clientOf(baseUrl)
    .createAgent(agent)
    .catch((error: unknown) => error)
  expect(RunbookError.is(error)).toBe(true)
  expect(error).toMatchObject({ code: 'TlsFailed', notSent: true })
  const [proxy] = [await startProxy()]
  const proxied = clientOf(baseUrl, { proxy: proxy.url })
  await expect(proxied.createAgent(agent)).rejects.toMatchObject({ code: 'TlsFailed', notSent: true })
  expect(requests).toBe(0)
})
