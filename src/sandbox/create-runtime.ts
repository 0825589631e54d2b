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
  const initialSettings = settingsOf(options)
  const initialSeed = String(options.seed ?? saved?.world.seed ?? defaultSeed)
  const starts = (saved?.starts ?? 0) + 1
  const clock = createClock(saved?.clock)
  let requests = 0
  // Changes of worlds that a reset has thrown away, and of the clock, which stands beside the world.
  let earlierChanges = 0
  let clockState = clock.state()

  const version = (): number => {
    if (clock.state() !== clockState) {
      clockState = clock.state()
      earlierChanges += 1
    }
    return earlierChanges + runtime.world.changes()
  }
  const runtime: Runtime = {
    world: createWorld({
      ...(saved?.world ?? firstDay(initialSeed)),
      seed: initialSeed,
    }),
    settings: initialSettings,
    clock,
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
    reset(seed = initialSeed) {
      earlierChanges += runtime.world.changes() + 1
      runtime.world = createWorld(firstDay(seed))
      runtime.settings = initialSettings
      clock.reset()
      runtime.limits.clear()
      runtime.faults.replace([])
      runtime.requests.clear()
      runtime.visited.clear()
      requests = 0
    },
    save:
      options.stateFile === undefined
        ? () => Promise.resolve()
        : createStateWriter(
            options.stateFile,
            () => ({ format: 1, starts, clock: clock.state(), world: runtime.world.state() }),
            version,
          ),
  }
  return runtime
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
