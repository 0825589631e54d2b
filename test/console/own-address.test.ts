import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { createOwnAddress } from '../../src/console/server/own-address.ts'

test.each([
  ['127.0.0.1', 80, undefined, 'http://127.0.0.1'],
  ['localhost:80', 80, undefined, 'http://localhost'],
  ['[::1]', 80, undefined, 'http://[::1]'],
  ['127.0.0.1', 8688, undefined, undefined],
  ['127.0.0.1:8688', 8688, undefined, 'http://127.0.0.1:8688'],
  ['x@127.0.0.1:8688', 8688, undefined, undefined],
  ['127.0.0.1:8688/x', 8688, undefined, undefined],
  ['ops.example.com', 8688, 'https://ops.example.com', 'https://ops.example.com'],
  ['ops.example.com:80', 8688, 'https://ops.example.com', undefined],
  ['ops.example.com:8443', 8688, 'https://ops.example.com:8443', 'https://ops.example.com:8443'],
  ['ops.example.com', 8688, 'https://ops.example.com:8443', undefined],
  ['', 8688, 'https://ops.example.com', undefined],
  ['127.0.0.1:undefined', undefined, undefined, undefined],
] as const)('host %j at port %s with the public URL %s stands for %s', (host, localPort, url, origin) => {
  const own = createOwnAddress(url === undefined ? undefined : new URL(url))
  expect(own.originOf({ headers: { host }, socket: { localPort } } as unknown as FastifyRequest)).toBe(origin)
})
