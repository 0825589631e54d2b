import { describe, expect, it } from 'vitest'
import { createRequestLog, type RequestLog, type RequestRecord } from '../../src/sandbox/request-log.ts'

const record = (request_id: string): RequestRecord => ({
  request_id,
  arrived_ms: 0,
  clock_ms: 0,
  method: 'POST',
  path: '/',
  operation: null,
  key: null,
  status: null,
  code: null,
  executed: false,
  fault: null,
  unknown_fields: [],
})

const fill = (log: RequestLog, count: number, body: string): void => {
  for (let number = 1; number <= count; number++) {
    const added = record(`r${number}`)
    log.add(added)
    log.keepBody(added, Buffer.from(body))
  }
}

const kept = (log: RequestLog, field: 'request_id' | 'body'): readonly unknown[] =>
  JSON.parse(log.format({})).requests.map((item: Record<string, unknown>) => item[field])

describe('the request log is bounded', () => {
  it('in number: the oldest go first, and are counted', () => {
    const log = createRequestLog(3)
    fill(log, 5, '1')
    expect(kept(log, 'request_id')).toEqual(['r3', 'r4', 'r5'])
    expect(JSON.parse(log.format({}))).toMatchObject({ received: 5, dropped: 2 })
    expect(JSON.parse(log.format({ after: 4 })).requests).toMatchObject([{ number: 5 }])
  })

  it('in the bytes of all bodies: the oldest lose theirs first', () => {
    const log = createRequestLog(3, 10)
    fill(log, 8, '12345')
    expect(kept(log, 'body')).toEqual([undefined, 12345, 12345])
  })

  it('and forgets the body of a request that it has forgotten by then', () => {
    const log = createRequestLog(2, 10)
    const late = record('late')
    log.add(late)
    fill(log, 2, '1')
    log.keepBody(late, Buffer.from('x'.repeat(20)))
    expect(kept(log, 'body')).toEqual([1, 1])
  })

  it('and counts the last body of a request only', () => {
    const log = createRequestLog(2, 10)
    const twice = record('twice')
    log.add(twice)
    for (const body of ['12345', '67890']) log.keepBody(twice, Buffer.from(body))
    fill(log, 1, '12345')
    expect(kept(log, 'body')).toEqual([67890, 12345])
  })

  it('and starts anew when it is cleared', () => {
    const log = createRequestLog(3, 10)
    fill(log, 4, '12345')
    log.clear()
    fill(log, 1, '1')
    expect(JSON.parse(log.format({}))).toMatchObject({
      received: 1,
      dropped: 0,
      requests: [{ number: 1, body: 1 }],
    })
  })
})
