import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { RunbookError } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { clientOf, startSockets } from './stand-in.ts'

const agent = { agent_name: 'a', instructions: 'b', card_url: 'https://agents.example.com/card.json' }
const rule = { application_id: 'a' }
const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const envelope = '{"request_id":"r","data":{"items":[]}}'

/** Runs once the whole request is here. */
function afterRequest(act: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      const end = text.indexOf('\r\n\r\n')
      if (end < 0 || text.length < end + 4 + length) return
      text = ''
      act(socket)
    })
  }
}

/** What a server does with a connection, and what the client makes of it. */
const sent: readonly {
  readonly name: string
  readonly serve: (socket: Socket) => void
  readonly code: string
}[] = [
  { name: 'closed at once', serve: (socket) => socket.destroy(), code: 'ConnectionLost' },
  {
    name: 'reset after the request',
    serve: afterRequest((socket) => socket.resetAndDestroy()),
    code: 'ConnectionLost',
  },
  { name: 'closed after the request', serve: afterRequest((socket) => socket.end()), code: 'ConnectionLost' },
  {
    name: 'closed inside the status line',
    serve: afterRequest((socket) => socket.end('HTTP/1.1 20')),
    code: 'ConnectionLost',
  },
  {
    name: 'closed inside the headers',
    serve: afterRequest((socket) => socket.end(`${json}x-a: `)),
    code: 'ConnectionLost',
  },
  {
    name: 'a body shorter than its length',
    serve: afterRequest((socket) => socket.end(`${json}content-length: 1000\r\n\r\n${envelope}`)),
    code: 'ConnectionLost',
  },
  {
    name: 'a reset inside the body',
    serve: afterRequest((socket) => {
      socket.write(`${json}content-length: 1000\r\n\r\n${envelope}`, () => socket.resetAndDestroy())
    }),
    code: 'ConnectionLost',
  },
  {
    name: 'chunks that stop',
    serve: afterRequest((socket) => socket.end(`${json}transfer-encoding: chunked\r\n\r\n5\r\n{"req\r\n`)),
    code: 'ConnectionLost',
  },
  {
    name: 'a body that ends with the connection, cut short',
    serve: afterRequest((socket) => socket.end(`${json}connection: close\r\n\r\n${envelope.slice(0, 20)}`)),
    code: 'InvalidAnswer',
  },
  {
    name: 'no HTTP',
    serve: afterRequest((socket) => socket.end('220 mail.example.com ESMTP\r\n')),
    code: 'ForeignAnswer',
  },
  {
    name: 'chunks that are none',
    serve: afterRequest((socket) => socket.end(`${json}transfer-encoding: chunked\r\n\r\nzz\r\n`)),
    code: 'ForeignAnswer',
  },
  {
    name: 'two lengths',
    serve: afterRequest((socket) => socket.end(`${json}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`)),
    code: 'ConnectionLost',
  },
  {
    name: 'headers without end',
    serve: afterRequest((socket) => socket.end(`${json}x: ${'y'.repeat(200_000)}\r\n\r\n`)),
    code: 'ForeignAnswer',
  },
  {
    name: 'another protocol',
    serve: afterRequest((socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ),
    code: 'ConnectionLost',
  },
]

describe('a request that may have arrived', () => {
  it.each(sent)('is unclear when the server answers with $name', async ({ serve, code }) => {
    const client = clientOf(await startSockets(serve))
    const single = await client.attempt('listIngestionRules', rule).catch((error: unknown) => error)
    expect(single).toMatchObject({ code, notSent: false })
    const create = await client.createAgent(agent).catch((error: unknown) => error)
    expect(create).toMatchObject({ code: 'OutcomeUnknown', cause: { code } })
  })

  it('is proven unsent only when not a byte went out, however quick the reset', async () => {
    const client = clientOf(await startSockets((socket) => socket.resetAndDestroy()))
    for (let round = 0; round < 20; round++) {
      const error = await client.attempt('createAgent', agent).catch((error: unknown) => error)
      const { code, notSent } = error as RunbookError
      expect([code, notSent]).toEqual(notSent ? ['ConnectionRefused', true] : ['ConnectionLost', false])
    }
  })

  it('keeps the id that came before the answer broke', async () => {
    const head = `${json}service-request-id: req-1\r\ncontent-length: 1000\r\n\r\n`
    const broken = clientOf(await startSockets(afterRequest((socket) => socket.end(head))))
    const lost = { code: 'ConnectionLost', requestId: 'req-1' }
    await expect(broken.attempt('listIngestionRules', rule)).rejects.toMatchObject(lost)
    const endless = clientOf(await startSockets(afterRequest((socket) => socket.write(head))))
    const late = { code: 'AttemptTimeout', requestId: 'req-1' }
    await expect(endless.attempt('listIngestionRules', rule, { timeoutMs: 200 })).rejects.toMatchObject(late)
  })

  it('is answered although hints come first', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'
    const answer = `${hints}${hints}${json}content-length: ${envelope.length}\r\n\r\n${envelope}`
    const client = clientOf(await startSockets(afterRequest((socket) => socket.end(answer))))
    expect(await client.listIngestionRules(rule)).toMatchObject({ requestId: 'r' })
  })

  it('is answered by a body that comes byte by byte', async () => {
    const serve = afterRequest(async (socket) => {
      for (const letter of `${json}content-length: ${envelope.length}\r\n\r\n${envelope}`) {
        socket.write(letter)
        await new Promise(setImmediate)
      }
    })
    expect(await clientOf(await startSockets(serve)).listIngestionRules(rule)).toMatchObject({
      requestId: 'r',
    })
  })
})

describe('an answer that is too large', () => {
  const hundredMegabytes = 100 * 1024 * 1024

  it('is refused by its length, unread', async () => {
    let written = 0
    const serve = afterRequest((socket) => {
      socket.write(`${json}content-length: ${hundredMegabytes}\r\n\r\n`)
      written = flood(socket)
    })
    const client = clientOf(await startSockets(serve))
    const error = await client.attempt('listIngestionRules', rule).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'AnswerTooLarge' })
    expect(written).toBeLessThan(hundredMegabytes)
  })

  it('is refused without a length, as soon as it is too large', async () => {
    let socket: Socket | undefined
    const serve = afterRequest((accepted) => {
      socket = accepted
      accepted.write(`${json}\r\n{"data":"`)
      flood(accepted)
    })
    const client = clientOf(await startSockets(serve), { maxAnswerBytes: 1_000_000 })
    const call = client.attempt('listIngestionRules', rule)
    await expect(call).rejects.toMatchObject({
      code: 'AnswerTooLarge',
      message: expect.stringContaining('larger than 1000000 bytes'),
    })
    expect(socket?.bytesWritten).toBeLessThan(hundredMegabytes)
  })

  it('of HTML is not read at all', async () => {
    let socket: Socket | undefined
    const serve = afterRequest((accepted) => {
      socket = accepted
      accepted.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n')
      flood(accepted)
    })
    const call = clientOf(await startSockets(serve)).attempt('listIngestionRules', rule)
    await expect(call).rejects.toMatchObject({ code: 'ForeignAnswer' })
    expect(socket?.bytesWritten).toBeLessThan(hundredMegabytes)
  })

  /** Writes until the reader stops. Answers with the number of bytes written. */
  function flood(socket: Socket): number {
    const block = Buffer.alloc(256 * 1024, 'x')
    const write = (): void => {
      while (!socket.destroyed && socket.bytesWritten < hundredMegabytes && socket.write(block));
    }
    socket.on('drain', write)
    write()
    return socket.bytesWritten
  }
})

describe('a request that certainly did not arrive', () => {
  it('is ConnectionRefused without a listener', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    await expectNotSent(`http://127.0.0.1:${port}`, 'ConnectionRefused')
  })

  it('is NameNotFound where the name does not exist', () =>
    expectNotSent('http://no-such-host.invalid', 'NameNotFound'))

  it('is TlsFailed where the server speaks no TLS', async () => {
    const url = await startSockets((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await expectNotSent(url.replace('http:', 'https:'), 'TlsFailed')
  })

  it('is TlsFailed where the server hangs up during the handshake', async () => {
    const url = await startSockets((socket) => socket.once('data', () => socket.destroy()))
    await expectNotSent(url.replace('http:', 'https:'), 'TlsFailed')
  })

  it('is ConnectTimeout where the handshake takes longer than the attempt', async () => {
    const url = await startSockets(() => {})
    const client = clientOf(url.replace('http:', 'https:'))
    await expect(client.createAgent(agent, { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'ConnectTimeout',
      notSent: true,
    })
  })

  /** For a create too: its outcome is known. */
  async function expectNotSent(baseUrl: string, code: string): Promise<void> {
    const error = await clientOf(baseUrl)
      .createAgent(agent)
      .catch((error: unknown) => error)
    expect(RunbookError.is(error)).toBe(true)
    expect(error).toMatchObject({ code, notSent: true })
  }
})
