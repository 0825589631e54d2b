import { between, isUnreachable, measuredNumber, noParameters, parameters, type SandboxTool } from './tool.ts'

const hostParameter = { type: 'string', minLength: 1, description: 'Name or address.' }
const portParameter = { type: 'integer', minimum: 1, maximum: 65_535, description: 'TCP port.' }

/** Tools that look at the network from the host. */
export const networkTools: readonly SandboxTool[] = [
  {
    name: 'net.tcp_ping',
    version: '1.1.2',
    description: 'Opens a TCP connection and measures how long that takes.',
    input: parameters({ host: hostParameter, port: portParameter }, ['host', 'port']),
    run({ host, port }, { random }) {
      if (isUnreachable(String(host)))
        return { code: 'target_unreachable', message: `connect ${host}:${port}: no route to host` }
      const connectMs = measuredNumber(random, 0.4, 18, 2)
      return {
        data: { host: String(host), port: Number(port), reachable: true, connect_ms: connectMs },
        summary: `${host}:${port} answers in ${connectMs} ms`,
      }
    },
  },
  {
    name: 'net.dns_lookup',
    version: '1.0.1',
    description: 'Resolves a name.',
    input: parameters(
      {
        name: hostParameter,
        type: {
          type: 'string',
          enum: ['A', 'AAAA', 'CNAME', 'MX', 'TXT'],
          default: 'A',
          description: 'Record type.',
        },
      },
      ['name'],
    ),
    run({ name, type = 'A' }, { random }) {
      if (isUnreachable(String(name))) return { code: 'target_unreachable', message: `${name}: no such name` }
      const answers = [{ value: `10.0.${between(random, 0, 9)}.${between(random, 2, 250)}`, ttl_seconds: 60 }]
      return { data: { name: String(name), type: String(type), answers }, summary: `${name}: 1 record` }
    },
  },
  {
    name: 'net.connections',
    version: '1.0.0',
    description: 'Connections of the host by state.',
    input: noParameters,
    run(_params, { random }) {
      const established = between(random, 40, 300)
      const states = { ESTABLISHED: established, TIME_WAIT: between(random, 5, 120), LISTEN: 11 }
      return { data: { states }, summary: `${established} established connections` }
    },
  },
  {
    name: 'net.interfaces',
    version: '1.0.0',
    description: 'Interfaces with their counters.',
    input: noParameters,
    run(_params, { random }) {
      const interfaces = [
        {
          name: 'eth0',
          state: 'up',
          received_bytes: between(random, 1e9, 9e11),
          sent_bytes: between(random, 1e9, 9e11),
          errors: 0,
        },
      ]
      return { data: { interfaces }, summary: 'eth0 up, no errors' }
    },
  },
  {
    name: 'net.routes',
    version: '1.0.0',
    description: 'The routing table.',
    input: noParameters,
    run: () => ({
      data: {
        routes: [
          { destination: 'default', gateway: '10.0.0.1', interface: 'eth0' },
          { destination: '10.0.0.0/16', gateway: '', interface: 'eth0' },
        ],
      },
      summary: '2 routes, default through 10.0.0.1',
    }),
  },
  {
    name: 'http.get',
    version: '1.2.0',
    description: 'Fetches an address and measures how long that takes.',
    input: parameters(
      { url: { type: 'string', pattern: '^https?://', description: 'Absolute http or https URL.' } },
      ['url'],
    ),
    run({ url }, { random }) {
      if (!URL.canParse(String(url))) return { code: 'invalid_args', message: 'params.url: is not a URL' }
      const { hostname, pathname } = new URL(String(url))
      if (isUnreachable(hostname))
        return { code: 'target_unreachable', message: `connect ${hostname}: no route to host` }
      const status = Number(/^\/status\/([2-5]\d\d)$/.exec(pathname)?.[1] ?? 200)
      const totalMs = measuredNumber(random, 8, 240)
      return {
        data: { url: String(url), status, total_ms: totalMs, body_bytes: between(random, 200, 60_000) },
        summary: `${status} in ${totalMs} ms`,
      }
    },
  },
]
