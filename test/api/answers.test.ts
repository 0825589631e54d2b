import { gzipSync } from 'node:zlib'
import { type Client, type OperationMethod, RunbookError } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { startStandIn } from './stand-in.ts'

const inputs = {
  createAgent: { agent_name: 'a', instructions: 'b', card_url: 'https://agents.example.com/card.json' },
  getApplications: { application_ids: ['app-1'] },
  invokeTools: { target_locator: 'web-01', tools: [{ tool: 'os.overview' }, { tool: 'net.tcp_ping' }] },
  listTools: { target_locator: 'web-01' },
  previewDatasource: { ds_type: 'prometheus', ds_name: 'prom-main', expr: 'up' },
  disableRule: { application_id: 'a', rule_id: 'r' },
  setPostMortemStatus: { post_mortem_id: 'p', status: 'published' },
  listIngestionRules: { application_id: 'a' },
} as const satisfies { readonly [M in OperationMethod]?: object }

interface Case {
  readonly name: string
  readonly method: keyof typeof inputs
  /** The body, as text or as what becomes JSON. */
  readonly body: unknown
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly expected: object
}

const agentData = { agent_id: 'a2a_1' }
const result = { tool: 'os.overview', data: { data: {}, summary: 's' }, error: null }

/** A successful result as a service sends it, and its data as the document has it. */
const toolShapes: readonly (readonly [name: string, given: object, data: object])[] = [
  ['nothing but the tool and its params', { params: {} }, { data: {}, truncated: { truncated: false } }],
  ['nothing but the tool', {}, { data: {}, truncated: { truncated: false } }],
  ['a summary and no data', { params: {}, summary: 's' }, { data: {}, summary: 's' }],
  ['a summary, no data and no params', { summary: 's' }, { data: {}, summary: 's' }],
  ['rows of its own under data', { params: {}, data: { data: [1] } }, { data: { data: [1] } }],
  [
    'rows of its own under data, beside a summary',
    { params: { a: 1 }, data: { data: [1], summary: 'own' }, summary: 's' },
    { data: { data: [1], summary: 'own' }, summary: 's' },
  ],
  [
    'the older shape without data',
    { agent_elapsed_ms: 1, data: { summary: 's' } },
    { data: {}, summary: 's' },
  ],
  ['the older shape without anything', { agent_elapsed_ms: 1 }, { data: {} }],
  [
    'the older shape, and rows of its own under data',
    {
      agent_elapsed_ms: 1,
      data: { data: { data: [1] }, summary: 's', truncated: { truncated: true } },
      error: null,
    },
    { data: { data: [1] }, summary: 's', truncated: { truncated: true } },
  ],
  [
    'the newer shape with an elapsed time too',
    { params: {}, agent_elapsed_ms: 1, data: { data: [1] }, summary: 's' },
    { data: { data: [1] }, summary: 's' },
  ],
]

const successes: readonly Case[] = [
  {
    name: 'data, and the id from the body',
    method: 'createAgent',
    body: { request_id: 'in-body', data: agentData },
    headers: { 'Service-Request-Id': 'in-header' },
    expected: { data: agentData, requestId: 'in-body', requestIds: ['in-body'], warnings: [] },
  },
  ...['Service-Request-Id', 'SERVICE-REQUEST-ID', 'x-vendor-request-id', 'Flash-Request-Id'].map(
    (header) => ({
      name: `the id from the header ${header}`,
      method: 'createAgent' as const,
      body: { data: agentData },
      headers: { [header]: 'in-header' },
      expected: { requestId: 'in-header' },
    }),
  ),
  {
    name: 'the id from the service rather than from a gateway',
    method: 'createAgent',
    body: { data: agentData },
    headers: { 'a-request-id': 'gateway', 'service-request-id': 'service', 'z-request-id': 'other' },
    expected: { requestId: 'service' },
  },
  {
    name: 'no id at all',
    method: 'createAgent',
    body: { data: agentData },
    headers: { 'x-request-identity': 'no', 'service-request-id': '' },
    expected: { data: agentData, requestId: undefined, requestIds: [] },
  },
  ...[
    { code: 'OK' },
    { code: 'ok' },
    { code: 'OK', message: 'fine' },
    { code: '' },
    { code: '0' },
    { code: 0 },
    {},
    null,
  ].map((error) => ({
    name: `a success that carries the error ${JSON.stringify(error)}`,
    method: 'createAgent' as const,
    body: { request_id: 'r', data: agentData, error },
    expected: { data: agentData },
  })),
  ...[201, 400, 500].map((status) => ({
    name: `a success whatever the status: ${status}`,
    method: 'createAgent' as const,
    status,
    body: { request_id: 'r', data: agentData },
    expected: { data: agentData },
  })),
  { name: 'E7 with no data', method: 'disableRule', body: { request_id: 'r' }, expected: { data: {} } },
  {
    name: 'E7 with null',
    method: 'disableRule',
    body: { request_id: 'r', data: null },
    expected: { data: {} },
  },
  {
    name: 'E8 with an empty object',
    method: 'setPostMortemStatus',
    body: { request_id: 'r', data: {} },
    expected: { data: {} },
  },
  {
    name: 'unknown fields',
    method: 'createAgent',
    body: { request_id: 'r', data: { ...agentData, colour: 'red' }, trace: 1 },
    expected: { data: { ...agentData, colour: 'red' }, warnings: [] },
  },
  {
    name: 'a byte order mark',
    method: 'createAgent',
    body: `\ufeff${JSON.stringify({ request_id: 'r', data: agentData })}`,
    expected: { data: agentData },
  },
  {
    name: 'another JSON content type',
    method: 'createAgent',
    body: { request_id: 'r', data: agentData },
    headers: { 'content-type': 'Application/Vnd.Service+JSON; charset=utf-8' },
    expected: { data: agentData },
  },
  {
    name: 'no content type, but an envelope',
    method: 'createAgent',
    body: { request_id: 'r', data: agentData },
    headers: { 'content-type': '' },
    expected: { data: agentData },
  },
  {
    name: 'an optional field of another type, with a warning',
    method: 'listIngestionRules',
    body: { request_id: 'r', data: { items: [{ rule_id: 'x', rule_name: 5, description: null }] } },
    expected: {
      data: { items: [{ rule_id: 'x', rule_name: 5, description: null }] },
      warnings: ['in the answer, data.items[0].rule_name must be a string, not a number'],
    },
  },
  {
    name: 'integers beyond 2^53 as text, with a warning',
    method: 'getApplications',
    body: '{"request_id":"r","data":{"items":[{"application_id":"app-1","account_id":9007199254740993,"created_at":12345678901234567890,"team_id":9007199254740991,"updated_by":-9007199254740993}]}}',
    expected: {
      data: {
        items: [
          {
            application_id: 'app-1',
            account_id: '9007199254740993',
            created_at: '12345678901234567890',
            team_id: 9007199254740991,
            updated_by: '-9007199254740993',
          },
        ],
      },
      warnings: ['account_id', 'created_at', 'updated_by'].map(
        (field) => `in the answer, data.items[0].${field} is beyond 2^53 - 1 and is given as text`,
      ),
    },
  },
  {
    name: 'integers with a point or an exponent as text where digits would be lost',
    method: 'previewDatasource',
    body: '{"request_id":"r","data":[9007199254740993.0,9007199254740992.0,9.007199254740993e15,90071992547409931E1,9007199254740991.0,9007199254740991.7]}',
    expected: {
      data: [
        '9007199254740993.0',
        9007199254740992,
        '9.007199254740993e15',
        '90071992547409931E1',
        9007199254740991,
        '9007199254740991.7',
      ],
      warnings: [0, 2, 3, 5].map(
        (index) => `in the answer, data[${index}] is beyond 2^53 - 1 and is given as text`,
      ),
    },
  },
  {
    name: 'numbers that are no integers, and digits in texts, as they are',
    method: 'previewDatasource',
    body: '{"request_id":"r","data":{"a":0.12345678901234567890,"b":"12345678901234567890","c":1.5e300,"d":1e400,"e":1.00000000000000000,"f":1.0e22,"a":2}}',
    expected: {
      data: { a: 2, b: '12345678901234567890', c: 1.5e300, d: '1e400', e: 1, f: 1e22 },
      warnings: ['in the answer, data.d is beyond 2^53 - 1 and is given as text'],
    },
  },
  {
    name: 'E5, raw: null',
    method: 'previewDatasource',
    body: { request_id: 'r', data: null },
    expected: { data: null },
  },
  {
    name: 'E5, raw: a result of Prometheus',
    method: 'previewDatasource',
    body: { request_id: 'r', data: { status: 'success', data: { resultType: 'vector', result: [] } } },
    expected: { data: { status: 'success', data: { resultType: 'vector', result: [] } } },
  },
  {
    name: 'E5, raw: the word error elsewhere than in the status of the whole',
    method: 'previewDatasource',
    body: { request_id: 'r', data: [{ status: 'error', hits: 1 }] },
    expected: { data: [{ status: 'error', hits: 1 }] },
  },
  {
    name: 'E4, a failed tool next to one that ran',
    method: 'invokeTools',
    body: {
      request_id: 'r',
      data: {
        target: { kind: 'host', locator: 'web-01' },
        results: [
          result,
          { tool: 'net.tcp_ping', data: null, error: { code: 'target_unreachable', message: 'm' } },
        ],
        error: null,
      },
    },
    expected: {
      data: {
        results: [
          result,
          { tool: 'net.tcp_ping', data: null, error: { code: 'target_unreachable', message: 'm' } },
        ],
        total: 2,
        succeeded: 1,
        failed: 1,
        failures: [{ index: 1, tool: 'net.tcp_ping', code: 'target_unreachable', message: 'm' }],
      },
    },
  },
  {
    name: 'E4, a tool that answers neither data nor an error',
    method: 'invokeTools',
    body: {
      request_id: 'r',
      data: { results: [result, { tool: 'net.tcp_ping', data: null, error: null }], error: null },
    },
    expected: {
      data: {
        results: [result, { tool: 'net.tcp_ping', data: null, error: { code: 'invalid_tool_result' } }],
        succeeded: 1,
        failed: 1,
        failures: [{ index: 1, tool: 'net.tcp_ping', code: 'invalid_tool_result' }],
      },
    },
  },
  {
    name: 'E4, the newer shape with null for what is empty',
    method: 'invokeTools',
    body: {
      request_id: 'r',
      data: { results: [result, { tool: 'net.tcp_ping', params: {}, data: null, error: null }] },
    },
    expected: {
      data: {
        results: [
          result,
          { tool: 'net.tcp_ping', data: { data: {}, truncated: { truncated: false } }, error: null },
        ],
        succeeded: 2,
        failed: 0,
      },
    },
  },
  {
    name: 'E4, the newer shape as the document has it',
    method: 'invokeTools',
    body: {
      request_id: 'r',
      data: {
        results: [
          { tool: 'os.overview', data: { cpu: 1 }, summary: 's', truncated: { reason: 'size' } },
          { tool: 'net.tcp_ping', error: { code: 'timeout', message: 'm' } },
        ],
      },
    },
    expected: {
      data: {
        error: null,
        results: [
          {
            tool: 'os.overview',
            data: { data: { cpu: 1 }, summary: 's', truncated: { truncated: true, reason: 'size' } },
            error: null,
          },
          { tool: 'net.tcp_ping', data: null, error: { code: 'timeout', message: 'm' } },
        ],
      },
    },
  },
  ...toolShapes.map(([name, given, data]) => ({
    name: `E4, ${name}`,
    method: 'invokeTools' as const,
    body: { request_id: 'r', data: { results: [result, { tool: 'net.tcp_ping', ...given }] } },
    expected: { data: { results: [result, { tool: 'net.tcp_ping', data, error: null }], failed: 0 } },
  })),
  {
    name: 'E4, the newer shape, by the params that it echoes, and without empty fields',
    method: 'invokeTools',
    body: {
      request_id: 'r',
      data: {
        results: [
          { tool: 'os.overview', params: { lines: 5 }, summary: 'no errors' },
          { tool: 'net.tcp_ping', params: {}, data: { data: [[1]] } },
        ],
      },
    },
    expected: {
      data: {
        results: [
          { data: { data: {}, summary: 'no errors', truncated: { truncated: false } }, error: null },
          { data: { data: { data: [[1]] }, truncated: { truncated: false } }, error: null },
        ],
        failed: 0,
      },
    },
  },
  {
    name: 'E4, the older shape, by the time of its agent',
    method: 'invokeTools',
    body: {
      request_id: 'r',
      data: {
        results: [
          { tool: 'os.overview', agent_elapsed_ms: 3, data: { summary: 's' }, error: null },
          { tool: 'net.tcp_ping', agent_elapsed_ms: 3, data: { data: { a: 1 }, summary: 's' }, error: null },
        ],
        error: null,
      },
    },
    expected: {
      data: {
        results: [
          { data: { summary: 's' }, error: null },
          { data: { data: { a: 1 }, summary: 's' }, error: null },
        ],
        failed: 0,
      },
    },
  },
  {
    name: 'E3, the trace integration under both names',
    method: 'getApplications',
    body: { request_id: 'r', data: { items: [{ application_id: 'app-1', tracing: { enabled: true } }] } },
    expected: {
      data: {
        items: [{ application_id: 'app-1', tracing: { enabled: true }, 'the service': { enabled: true } }],
        missing: [],
      },
    },
  },
  {
    name: 'E3, an id that is not known',
    method: 'getApplications',
    body: { request_id: 'r', data: { items: [] } },
    expected: { data: { items: [], missing: ['app-1'], total: 1, failed: 0 } },
  },
]

const failures: readonly Case[] = [
  ...['InvalidParameter', 'Unauthorized', 'RequestLocked', 'BrandNewCode'].map((code) => ({
    name: `the code ${code} on HTTP 200`,
    method: 'createAgent' as const,
    body: { request_id: 'r-1', error: { code, message: 'said the service' } },
    expected: { code, message: 'said the service', requestId: 'r-1' },
  })),
  {
    name: 'an error without a message',
    method: 'createAgent',
    body: { error: { code: 'Unauthorized' } },
    headers: { 'service-request-id': 'in-header' },
    expected: {
      code: 'Unauthorized',
      message: 'The app key is missing or not valid.',
      requestId: 'in-header',
    },
  },
  {
    name: 'data next to an error is no success',
    method: 'listIngestionRules',
    body: { request_id: 'r', data: { items: [] }, error: { code: 'AccessDenied', message: 'm' } },
    expected: { code: 'AccessDenied' },
  },
  ...[{ message: 'm' }, { code: {}, message: 'm' }, { code: true }, 'text', ['list']].map((error) => ({
    name: `the error ${JSON.stringify(error)}`,
    method: 'listIngestionRules' as const,
    body: { request_id: 'r', error },
    expected: { code: 'InvalidAnswer', requestId: 'r' },
  })),
  ...['ConnectionRefused', 'OutcomeUnknown', 'InvalidInput', 'Cancelled', 'InternalDefect'].map((code) => ({
    name: `the service uses our own code ${code}, which would prove something`,
    method: 'listIngestionRules' as const,
    body: { request_id: 'r', error: { code, message: 'm' } },
    expected: { code: 'InvalidAnswer', message: `the service reports "${code}": m`, notSent: false },
  })),
  {
    name: 'E4, the whole request failed',
    method: 'invokeTools',
    body: {
      request_id: 'r',
      data: {
        results: [],
        error: { code: 'ambiguous_target_kind', message: 'm', target_kinds: ['host', 'mysql'] },
      },
    },
    expected: {
      code: 'ambiguous_target_kind',
      message: 'm',
      requestId: 'r',
      details: { target_kinds: ['host', 'mysql'] },
    },
  },
  {
    name: 'the catalog, the whole request failed',
    method: 'listTools',
    body: { request_id: 'r', data: { tools: [], error: { code: 'target_unavailable', message: 'm' } } },
    expected: { code: 'target_unavailable', requestId: 'r' },
  },
  {
    name: 'E4, our own code inside',
    method: 'invokeTools',
    body: { request_id: 'r', data: { results: [], error: { code: 'QueryFailed', message: 'm' } } },
    expected: { code: 'InvalidAnswer' },
  },
  ...[[result], [result, result, result], []].map((results) => ({
    name: `E4, ${results.length} results for 2 tools`,
    method: 'invokeTools' as const,
    body: { request_id: 'r', data: { results, error: null } },
    expected: { code: 'InvalidAnswer', details: { path: 'data.results' } },
  })),
  {
    name: 'E4, results in another order',
    method: 'invokeTools',
    body: { request_id: 'r', data: { results: [{ ...result, tool: 'net.tcp_ping' }, result], error: null } },
    expected: {
      code: 'InvalidAnswer',
      message: expect.stringContaining('is "net.tcp_ping" where "os.overview" was asked for'),
      details: { path: 'data.results[0].tool' },
    },
  },
  ...(
    [
      [{}, 'The datasource answered, and its answer says that the query failed.'],
      [{ message: 'parse error' }, 'parse error'],
      [{ msg: 'parse error', data: null }, 'parse error'],
      [{ error: { type: 'bad_data', msg: 'parse error' } }, 'parse error'],
      [{ error: { message: 'parse error' } }, 'parse error'],
      [{ error: {}, errorType: 'timeout' }, 'timeout'],
      [{ error: '', message: 'parse error' }, 'parse error'],
    ] as const
  ).map(([body, message]) => ({
    name: `E5, an error said as ${JSON.stringify(body)}`,
    method: 'previewDatasource' as const,
    body: { request_id: 'r', data: { status: 'error', ...body } },
    expected: { code: 'QueryFailed', message, requestId: 'r' },
  })),
  {
    name: 'E5, an error of Prometheus',
    method: 'previewDatasource',
    body: {
      request_id: 'r',
      data: { status: 'error', errorType: 'bad_data', error: 'parse error at char 3' },
    },
    expected: {
      code: 'QueryFailed',
      message: 'parse error at char 3',
      details: { errorType: 'bad_data' },
      requestId: 'r',
    },
  },
  ...(
    [
      ['createAgent', {}, 'data.agent_id'],
      ['createAgent', { agent_id: 7 }, 'data.agent_id'],
      ['createAgent', { agent_id: null }, 'data.agent_id'],
      ['createAgent', null, 'data'],
      ['createAgent', 'text', 'data'],
      ['listIngestionRules', { items: {} }, 'data.items'],
      ['listIngestionRules', { items: [{ rule_id: 'a' }, {}] }, 'data.items[1].rule_id'],
      ['listIngestionRules', { items: ['x'] }, 'data.items[0]'],
      ['getApplications', { items: [{}] }, 'data.items[0].application_id'],
      ['disableRule', 'text', 'data'],
      ['listTools', { tools: [{ description: 'x' }] }, 'data.tools[0].name'],
    ] as const
  ).map(([method, data, path]) => ({
    name: `${method} answered ${JSON.stringify(data)}`,
    method,
    body: { request_id: 'r', data },
    expected: { code: 'InvalidAnswer', details: { path }, requestId: 'r' },
  })),
  ...(['previewDatasource', 'createAgent', 'getApplications'] as const).map((method) => ({
    name: `${method} without data`,
    method,
    body: { request_id: 'r' },
    expected: { code: 'InvalidAnswer' },
  })),
  ...['', '{"request_id":"r","data":{"agent', '[1', 'nonsense', '{"a":1}}', "{'a':1}", '{"n":01}'].map(
    (body) => ({
      name: `the body ${JSON.stringify(body)}`,
      method: 'createAgent' as const,
      body,
      expected: { code: body === '' ? 'ForeignAnswer' : 'InvalidAnswer' },
    }),
  ),
  {
    name: 'invalid UTF-8',
    method: 'createAgent',
    body: Buffer.concat([Buffer.from('{"request_id":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    expected: { code: 'InvalidAnswer', message: 'HTTP 200 with a body that is not valid UTF-8' },
  },
  {
    name: 'an integer beyond 2^53 in what is not JSON for everybody',
    method: 'createAgent',
    body: '{"n":12345678901234567890,}',
    expected: { code: 'InvalidAnswer' },
  },
  {
    name: 'nested without end',
    method: 'createAgent',
    body: `{"data":${'['.repeat(100_000)}12345678901234567890${']'.repeat(100_000)}}`,
    expected: { code: 'InvalidAnswer' },
  },
  ...['[]', '"text"', '5', 'null', '{}', '{"message":"Forbidden"}', '{"error":"invalid_token"}'].map(
    (body) => ({
      name: `JSON that is no envelope: ${body}`,
      method: 'createAgent' as const,
      body,
      status: 403,
      expected: { code: 'ForeignAnswer', details: { status: 403, contentType: 'application/json' } },
    }),
  ),
  ...['text/html; charset=utf-8', 'text/plain', 'application/xml', 'application/x-ndjson', 'nonsense'].map(
    (type) => ({
      name: `the content type ${type}`,
      method: 'createAgent' as const,
      headers: { 'content-type': type, 'x-request-id': 'gateway-1' },
      status: 502,
      body: { request_id: 'r', data: agentData },
      expected: {
        code: 'ForeignAnswer',
        requestId: 'gateway-1',
        details: { status: 502, contentType: type.split(';')[0] },
      },
    }),
  ),
  {
    name: 'no content type and no envelope',
    method: 'createAgent',
    headers: { 'content-type': '' },
    body: 'Bad gateway',
    expected: { code: 'ForeignAnswer' },
  },
  {
    name: 'a foreign answer that names a time to wait',
    method: 'createAgent',
    status: 503,
    headers: { 'content-type': 'text/html', 'retry-after': '7' },
    body: '<html>',
    expected: { code: 'ForeignAnswer', retryAfterMs: 7000 },
  },
  {
    name: 'an encoding that was not asked for',
    method: 'createAgent',
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ request_id: 'r', data: agentData })),
    expected: { code: 'ForeignAnswer', message: expect.stringContaining('encoded as gzip') },
  },
  ...[301, 302, 303, 307, 308].map((status) => ({
    name: `a redirect ${status}`,
    method: 'createAgent' as const,
    status,
    headers: { location: 'https://login.example.com/path?secret=1' },
    body: '',
    expected: {
      code: 'RedirectRefused',
      message: `HTTP ${status} redirects to https://login.example.com; a redirect is not followed, since it would carry the key along`,
    },
  })),
]

/** A client of a service that always gives this answer. */
async function clientThatHears({ body, status = 200, headers = {} }: Case): Promise<Client> {
  const { 'content-type': type = 'application/json', ...others } = headers
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const service = await startStandIn((_received, response) => {
    for (const [name, value] of Object.entries(others)) response.setHeader(name, value)
    if (type !== '') response.setHeader('content-type', type)
    response.writeHead(status).end(bytes)
  })
  return service.client({ limits: 'off' })
}

describe('an answer is taken', () => {
  it.each(successes)('$name', async (one) => {
    const client = await clientThatHears(one)
    expect(await client[one.method](inputs[one.method] as never)).toMatchObject(one.expected)
  })
})

describe('an answer is refused', () => {
  it.each(failures)('$name', async (one) => {
    const client = await clientThatHears(one)
    // A single attempt: what a whole call makes of it depends on the safety of the operation.
    const error = await client.attempt(one.method, inputs[one.method]).catch((error: unknown) => error)
    expect(RunbookError.is(error)).toBe(true)
    expect(error).toMatchObject(one.expected)
  })
})

it('an answer with a field called __proto__ changes no prototype', async () => {
  const data =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"big":12345678901234567890}'
  const client = await clientThatHears({
    name: 'prototype',
    method: 'previewDatasource',
    body: `{"request_id":"r","__proto__":{"polluted":true},"data":${data}}`,
    expected: {},
  })
  const answer = await client.previewDatasource(inputs.previewDatasource)
  expect(Object.getPrototypeOf(answer.data)).toBe(Object.prototype)
  expect(Object.keys(answer.data as object)).toEqual(['__proto__', 'constructor', 'big'])
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})
