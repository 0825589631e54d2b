import { type Agents, createAgents, proxyPasswords } from '../http/agents.ts'
import { createRateBudget } from '../pacing/memory-rate-budget.ts'
import type { RateBudget } from '../pacing/rate-budget.ts'
import { createSemaphore, type Semaphore } from '../pacing/semaphore.ts'
import { createTargetLocks, type TargetLocks } from '../pacing/target-locks.ts'
import { createScrubber, type Scrubber } from '../secrets/scrub.ts'
import type { ClientOptions, Logger } from './client-options.ts'
import { createRoutes, type Routes } from './route.ts'
import { readSettings, type Settings } from './settings.ts'

/** Everything that the calls of one client share. */
export interface Connection {
  readonly settings: Settings
  readonly routes: Routes
  readonly agents: Agents
  readonly budget: RateBudget
  readonly targetLocks: TargetLocks
  /** Limits the requests in flight. */
  readonly slots: Semaphore
  readonly scrub: Scrubber
  readonly logger: Logger | undefined
}

export function createConnection(options: ClientOptions): Connection {
  const settings = readSettings(options)
  const scrub = createScrubber([settings.appKey, ...proxyPasswords(settings.proxy)])
  return {
    settings,
    routes: createRoutes(settings, scrub),
    agents: createAgents(settings.origin, settings.proxy),
    budget: options.budget ?? createRateBudget(),
    targetLocks: options.targetLocks ?? createTargetLocks(),
    slots: createSemaphore(settings.concurrency),
    scrub,
    logger: options.logger && safeLogger(options.logger),
  }
}

function safeLogger(logger: Logger): Logger {
  return {
    debug: safeListener((fields, message) => logger.debug(fields, message)),
    warn: safeListener((fields, message) => logger.warn(fields, message)),
  }
}

/** Wraps a listener of the caller so that it cannot fail: its error must not lose the answer of a request. */
export function safeListener<Values extends readonly unknown[]>(
  listener: (...values: Values) => unknown,
): (...values: Values) => void {
  return (...values) => {
    try {
      const end = listener(...values)
      if (end instanceof Promise) end.catch(() => {})
    } catch {
      // The error of a listener has no receiver.
    }
  }
}
