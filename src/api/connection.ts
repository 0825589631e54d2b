import { type Agents, createAgents } from './agents.ts'
import type { ClientOptions } from './client-options.ts'
import type { Logger } from './logger.ts'
import { createRateBudget } from './memory-rate-budget.ts'
import { proxyPasswords } from './proxies.ts'
import { quiet } from './quiet.ts'
import type { RateBudget } from './rate-budget.ts'
import { createRoutes, type Routes } from './route.ts'
import { createScrubber, type Scrubber } from './scrub.ts'
import { readSettings, type Settings } from './settings.ts'
import { createTargetLocks, type TargetLocks } from './target-locks.ts'
import { createTurns, type Turns } from './turns.ts'

/** Everything that the calls of one client share. */
export interface Connection {
  readonly settings: Settings
  readonly routes: Routes
  readonly agents: Agents
  readonly budget: RateBudget
  readonly targetLocks: TargetLocks
  /** Bounds the requests under way. */
  readonly turns: Turns
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
    turns: createTurns(settings.concurrency),
    scrub,
    logger: options.logger && quietLogger(options.logger),
  }
}

function quietLogger(logger: Logger): Logger {
  return {
    debug: quiet((fields, message) => logger.debug(fields, message)),
    warn: quiet((fields, message) => logger.warn(fields, message)),
  }
}
