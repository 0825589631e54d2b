import { expect, it } from 'vitest'
import { type ClientPorts, serverError } from '../../../src/engine/temporal/client/client-ports.ts'

const ports = { client: { options: { namespace: 'default' } }, taskQueue: 'q' } as unknown as ClientPorts

it.each([
  [8, 'namespace rate limit exceeded'],
  [13, 'unexpected error'],
])('a server that refuses with %i is to be asked again later', (code, details) => {
  const thrown = new Error('failed', { cause: Object.assign(new Error(details), { code, details }) })
  expect(serverError(thrown, ports)).toMatchObject({
    code: 'TemporalUnavailable',
    message: expect.stringContaining(details),
  })
})
