import type { Runtime } from './call.ts'
import { createClock } from './clock.ts'
import { createFaultList } from './faults.ts'
import { deriveId } from './ids.ts'
import type { SandboxOptions } from './options.ts'
import { createRateLimits } from './rate-limits.ts'
import { createRequestLog } from './request-log.ts'
import { defaultSettings, type Settings } from './settings.ts'
import { createStateWriter, readStateFile } from './state-file.ts'
import { readWebhookSecret } from './webhook.ts'
import { createWorld, firstDay } from './world.ts'

const defaultSeed = 'opsbook'

/** Builds everything that a sandbox works with; reads the state file. */
export function createRuntime(options: SandboxOptions, closing: AbortSignal): Runtime {
  const saved = options.stateFile === undefined ? undefined : readStateFile(options.stateFile)
  const settings = settingsOf(options)
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
    webhookKey: readWebhookSecret(options.webhookSecret),
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

function settingsOf(options: SandboxOptions): Settings {
  return {
    ...defaultSettings,
    ...(options.latencyMs !== undefined && { latencyMs: options.latencyMs }),
    ...(options.limits !== undefined && { limits: options.limits }),
    ...(options.shape !== undefined && { shape: options.shape }),
    ...(options.exportCapMs !== undefined && { exportCapMs: options.exportCapMs }),
    ...(options.webhookUrl !== undefined && { webhookUrl: options.webhookUrl }),
  }
}
