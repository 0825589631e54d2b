import { setMaxListeners } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Runtime } from './call.ts'
import { createClock } from './clock.ts'
import { createFaultList } from './faults.ts'
import { deriveId } from './ids.ts'
import { createRateLimits } from './rate-limits.ts'
import { createRequestLog } from './request-log.ts'
import { createServer } from './server.ts'
import type { Sandbox, SandboxOptions, SandboxSettings } from './settings.ts'
import { createStateWriter, readStateFile } from './state-file.ts'
import { usualToken } from './webhook.ts'
import { createWorld, firstDay } from './world.ts'

const defaultSeed = 'opsbook'

/** Builds everything that a sandbox works with; reads the state file. */
function createRuntime(options: SandboxOptions, closing: AbortSignal): Runtime {
  const saved = options.stateFile === undefined ? undefined : readStateFile(options.stateFile)
  const { latencyMs = 0, limits = true, shape = 'document', exportCapMs = 60_000, webhookUrl = '' } = options
  const tools = { slowToolMs: 3000, busyToolMs: 300, toolTimeoutMs: 10_000 }
  const settings: SandboxSettings = { latencyMs, limits, shape, exportCapMs, ...tools, webhookUrl }
  const seed = String(options.seed ?? saved?.world.seed ?? defaultSeed)
  const starts = (saved?.starts ?? 0) + 1
  let requests = 0
  const runtime: Runtime = {
    world: createWorld({ ...(saved?.world ?? firstDay(seed)), seed }),
    settings,
    clock: createClock(saved?.clock),
    limits: createRateLimits(),
    faults: createFaultList(),
    requests: createRequestLog(),
    busyHosts: new Set(),
    visited: new Set(),
    webhookToken: options.webhookToken ?? usualToken,
    closing,
    nextRequestId() {
      requests += 1
      return deriveId('request', `${runtime.world.seed}/${starts}/${requests}`)
    },
    reset(nextSeed = seed) {
      requests = 0
      runtime.world = createWorld(firstDay(nextSeed), runtime.world.changes() + 1)
      runtime.settings = settings
      runtime.clock.reset()
      runtime.limits.clear()
      runtime.faults.replace([])
      runtime.requests.clear()
      runtime.visited.clear()
    },
    save: () => save(),
  }
  const save = options.stateFile === undefined ? noSave : createSave(runtime, options.stateFile, starts)
  return runtime
}

const noSave = (): Promise<void> => Promise.resolve()

function createSave(runtime: Runtime, path: string, starts: number): () => Promise<void> {
  return createStateWriter(
    path,
    () => ({ format: 1, starts, clock: runtime.clock.state(), world: runtime.world.state() }),
    () => runtime.clock.changes() + runtime.world.changes(),
  )
}

/**
 * Starts the service on this machine; ready for calls when the promise resolves. Rejects when the port is taken,
 * the state file is not one, or the webhook secret is not base64.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const closing = new AbortController()
  // Every call that waits listens to it: many are no leak.
  setMaxListeners(0, closing.signal)
  const runtime = createRuntime(options, closing.signal)
  await runtime.save()
  const { host = '127.0.0.1', allowHosts = [] } = options
  const server = createServer(runtime, [host, ...allowHosts])
  await server.listen({ port: options.port ?? 0, host })
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    // Connections close first: no waiting caller must get an answer that is too early.
    server.server.closeAllConnections()
    closing.abort()
    await server.close()
    await runtime.save()
  }
  return {
    url: urlOf(server.server.address() as AddressInfo),
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** An address that clients can connect to: "any address" is none. */
function urlOf({ address, family, port }: AddressInfo): string {
  const name = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `http://${family === 'IPv6' ? `[${name}]` : name}:${port}`
}
