import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, type ClientOptions, createClient, operations, type ServiceAnswer } from 'opsbook/api'
import type { SandboxOptions } from 'opsbook/sandbox'
import { afterAll, beforeEach } from 'vitest'
import { type OpenSandbox, type OperationId, openSandbox, validBodies } from '../sandbox/open-sandbox.ts'
import { type Gateway, openGateway } from './open-gateway.ts'

export { type OperationId, paths, validBodies } from '../sandbox/open-sandbox.ts'

/** The keys of the sandbox. The last one is of another account. */
export const owner = 'sandbox-owner'
export const member = 'sandbox-member'
export const guest = 'sandbox-guest'
export const other = 'sandbox-other'

/** The document's operations, without the catalog. */
export const operationIds = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8', 'E9'] as const

/** A request as the sandbox recorded it. */
export interface Received {
  readonly number: number
  readonly request_id: string
  readonly method: string
  readonly path: string
  readonly operation: OperationId | null
  readonly key: string | null
  readonly status: number | null
  readonly code: string | null
  readonly executed: boolean
  readonly unknown_fields: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape are looked into
  readonly body?: any
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
type AnyAnswer = ServiceAnswer<any>

/** The real sandbox and the real client, and between them nothing but HTTP. */
export interface Service extends OpenSandbox {
  /** A client without pacing and waits by default; closed with the service. */
  client(options?: Partial<ClientOptions>): Client
  /** Calls an operation through the client, with a body of any shape. */
  through(id: OperationId, body?: unknown, key?: string): Promise<AnyAnswer>
  /** The address of the same sandbox behind a gateway. */
  readonly gateway: Gateway
  /** The requests that arrived while something was done. */
  receivedDuring(action: () => Promise<unknown>): Promise<readonly Received[]>
  /** A path in a folder that goes with the service. */
  file(name?: string): string
  /** Everything as at the start, the gateway too. */
  reset(): Promise<void>
}

/**
 * Opens the service of a test file, without rate limits unless they are asked for. Each test finds it as at the start,
 * and it is closed after the last one.
 */
export async function openService(options: SandboxOptions = {}): Promise<Service> {
  const sandbox = await openSandbox({ limits: false, ...options })
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-service-'))
  const gateway = await openGateway(sandbox.url)
  const clients: Client[] = []
  const byKey = new Map<string, Client>()
  let files = 0

  const client = (more: Partial<ClientOptions> = {}): Client => {
    const created = createClient({
      baseUrl: sandbox.url,
      appKey: 'sandbox-owner',
      limits: 'off',
      maxWaitMs: 0,
      proxy: 'none',
      ...more,
    })
    clients.push(created)
    return created
  }
  const clientOf = (appKey: string): Client => {
    const known = byKey.get(appKey) ?? client({ appKey })
    byKey.set(appKey, known)
    return known
  }
  const file = (name = `record-${++files}.ndjson`): string => join(folder, name)
  const received = async (after: number): Promise<{ received: number; requests: readonly Received[] }> =>
    sandbox.control(`requests?after=${after}`)

  const service: Service = {
    ...sandbox,
    gateway,
    client,
    file,
    through: (id, body = validBodies[id], key = 'sandbox-owner') =>
      callThrough(clientOf(key), id, body, file()),
    async receivedDuring(action) {
      const before = await received(999_999_999)
      await action()
      return (await received(before.received)).requests
    },
    async reset() {
      gateway.change = (answer) => answer
      await sandbox.control('reset', {})
    },
    async close() {
      await Promise.all(clients.map((created) => created.close()))
      await sandbox.close()
      await gateway.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  beforeEach(() => service.reset())
  afterAll(() => service.close())
  return service
}

const methods = Object.fromEntries(Object.entries(operations).map(([name, { id }]) => [id, name]))

/** The client's method for an operation. */
export function methodOf(id: OperationId): keyof typeof operations {
  return methods[id] as keyof typeof operations
}

/** Calls an operation by its id: the bodies of tests are wrong on purpose, so nothing is said about their types. */
export function callThrough(
  client: Client,
  id: OperationId,
  body: unknown,
  file: string,
): Promise<AnyAnswer> {
  const call = client[methodOf(id)] as (input: unknown, options?: object) => Promise<AnyAnswer>
  return id === 'E6' ? call(body, { file }) : call(body)
}
