import { once } from 'node:events'
import type { Socket } from 'node:net'
import { RunbookError } from 'opsbook'
import { expect, it } from 'vitest'
import { createActions } from '../../src/actions/index.ts'
import { contextWith } from '../actions/context-with.ts'
import { clientOf, startSockets } from './stand-in.ts'

const agent = { agent_name: 'a', instructions: 'b', card_url: 'https://agents.example.com/card.json' }
const answer = JSON.stringify({ request_id: 'r', data: { agent_id: 'x' } })

/** A server that notes what it has received, and answers each request. */
async function startServer() {
  const sockets: Socket[] = []
  let received = ''
  const baseUrl = await startSockets((socket) => {
    sockets.push(socket)
    socket.on('data', (chunk) => {
      received += chunk.toString()
      const [, length = '0'] = /content-length: (\d+)/.exec(received) ?? []
      const [, body] = received.split('\r\n\r\n')
      if (body === undefined || body.length < Number(length)) return
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`,
      )
    })
  })
  return { baseUrl, sockets, received: () => received }
}

/** Creates over the client of the service, or over a connection of type http. */
type Send = (baseUrl: string, beforeSending: () => Promise<void>, signal: AbortSignal) => Promise<unknown>

const sends: readonly (readonly [name: string, send: Send])[] = [
  [
    'an operation',
    (baseUrl, beforeSending, signal) =>
      clientOf(baseUrl).attempt('createAgent', agent, { beforeSending, signalBeforeSending: signal }),
  ],
  ...['POST', 'DELETE'].map(
    (method) =>
      [
        `core/http ${method}`,
        async (baseUrl: string, beforeSending: () => Promise<void>, signal: AbortSignal) => {
          const http = createActions().find(({ name }) => name === 'core/http')
          const input = { url: baseUrl, method, safety: 'create' }
          return http?.run(input, contextWith({ beforeSending, signalBeforeSending: signal }))
        },
      ] as const,
  ),
]

it.each(sends)('%s is announced when its connection is open, and before a byte leaves', async (_, send) => {
  const server = await startServer()
  const atAnnouncement: unknown[] = []
  await send(
    server.baseUrl,
    async () => {
      await expect.poll(() => server.sockets).toHaveLength(1)
      atAnnouncement.push([server.sockets.length, server.received()])
    },
    new AbortController().signal,
  )
  expect(atAnnouncement).toEqual([[1, '']])
  expect(server.received()).toMatch(/ HTTP\/1\.1\r\n/)
  expect(server.sockets).toHaveLength(1)
})

it.each(sends)('%s whose announcement fails is not sent', async (_, send) => {
  const server = await startServer()
  const refusal = new RunbookError('Cancelled', 'taken back', { notSent: true })
  const sending = send(server.baseUrl, () => Promise.reject(refusal), new AbortController().signal)
  await expect(sending).rejects.toMatchObject({ code: 'Cancelled', message: 'taken back', notSent: true })
  const [socket] = server.sockets
  if (socket && !socket.closed) await once(socket, 'close')
  expect(server.received()).toBe('')
})

it.each(sends)('%s that is cancelled during its announcement is not sent', async (_, send) => {
  const server = await startServer()
  const stop = new AbortController()
  let announce: (() => void) | undefined
  const sending = send(
    server.baseUrl,
    () =>
      new Promise((resolve) => {
        announce = resolve
        stop.abort()
      }),
    stop.signal,
  )
  await expect(sending).rejects.toMatchObject({ code: 'Cancelled', notSent: true })
  announce?.()
  const [socket] = server.sockets
  if (socket && !socket.closed) await once(socket, 'close')
  expect(server.received()).toBe('')
})

it.each(sends)('%s whose connection breaks during its announcement is not sent', async (_, send) => {
  const server = await startServer()
  let announce: (() => void) | undefined
  const sending = send(
    server.baseUrl,
    async () => {
      await expect.poll(() => server.sockets).toHaveLength(1)
      server.sockets[0]?.resetAndDestroy()
      await new Promise<void>((resolve) => {
        announce = resolve
      })
    },
    new AbortController().signal,
  )
  await expect(sending).rejects.toMatchObject({ notSent: true })
  announce?.()
})
