import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { openService, type Service } from './open-service.ts'
import { proves } from './statements.ts'

let service: Service
beforeAll(async () => {
  service = await openService()
})
afterEach(() => service.reset())
afterAll(() => service.close())

interface Call {
  readonly tool: string
  readonly params: Readonly<Record<string, string | number>>
}

const tool = (name: string, params: Call['params'] = {}): Call => ({ tool: name, params })
const unreachable = tool('net.tcp_ping', { host: 'down-01', port: 22 })

const requestFailures = [
  ['down-01', 'target_unavailable'],
  ['nowhere', 'target_unavailable'],
  ['db-01', 'ambiguous_target_kind'],
  ['stale-01', 'unknown_toolset_hash'],
  ['edge-01', 'forward_failed'],
] as const

describe('failures', () => {
  it.each(requestFailures)(`${proves('§E4.rule-4')} %s: %s`, async (target_locator, code) => {
    const input = { target_locator, tools: [tool('os.cpu')] }
    const failure = await failureOf(service.client().invokeTools(input))
    expect(failure).toMatchObject({ code, message: expect.stringContaining(target_locator) })
    expect(failure.requestId).toMatch(/./)
    if (code === 'ambiguous_target_kind') expect(failure.details).toEqual({ target_kinds: ['host', 'mysql'] })
    const { status, json } = await service.call('E4', input)
    expect({ status, data: json.data, error: json.error }).toEqual({
      status: 200,
      data: {
        target: { kind: expect.any(String), locator: target_locator },
        results: [],
        error: expect.objectContaining({ code }),
      },
      error: undefined,
    })
  })

  it(proves('§E4.rule-5', '§errors.rule-2'), async () => {
    const tools = [tool('os.cpu'), unreachable, tool('os.nothing'), tool('os.memory', { verbose: 1 })]
    let answer: Awaited<ReturnType<Service['through']>> | undefined
    const [arrived] = await service.receivedDuring(async () => {
      answer = await service.through('E4', { target_locator: 'web-01', tools })
    })
    expect(arrived).toMatchObject({ status: 200, code: 'OK' })
    expect(answer?.data).toMatchObject({
      error: null,
      total: 4,
      succeeded: 1,
      failed: 3,
      failures: [
        { index: 1, tool: 'net.tcp_ping', code: 'target_unreachable' },
        { index: 2, tool: 'os.nothing', code: 'unknown_tool' },
        { index: 3, tool: 'os.memory', code: 'invalid_args' },
      ],
    })
  })

  it(proves('§E4.rule-6'), async () => {
    const client = service.client()
    const input = { target_locator: 'web-01', tools: [tool('os.cpu')] }
    await service.control('faults', [
      { operation: 'E4', times: 1, error: 'ServiceUnavailable' },
      { operation: 'E4', times: 1, target_error: 'forward_failed' },
      { operation: 'E4', times: 1, tool_error: { code: 'timeout' } },
    ])
    expect(await failureOf(client.invokeTools(input))).toMatchObject({ code: 'ServiceUnavailable' })
    expect(await failureOf(client.invokeTools(input))).toMatchObject({ code: 'forward_failed' })
    const { data } = await client.invokeTools(input)
    expect(data).toMatchObject({ failed: 1, failures: [{ index: 0, tool: 'os.cpu', code: 'timeout' }] })
    expect((await client.invokeTools(input)).data).toMatchObject({ failed: 0, failures: [] })
  })
})
