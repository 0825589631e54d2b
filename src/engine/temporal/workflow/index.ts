/**
 * The workflows that a worker registers: the entry point of the bundle. The default one runs every type without a function
 * of its name: the runs, whose type names their runbook.
 */

import { opsbookLine } from './concurrency/line.ts'
import { opsbookRateLimiter } from './limits/rate-limiter.ts'
import { opsbookTargetLock } from './limits/target-lock.ts'
import { opsbookNotice } from './notifications/notifier.ts'
import { takeStarts } from './payload-converter.ts'
import { opsbookEvents } from './received-events/event-store.ts'
import { runbookRun } from './run/run-workflow.ts'

const workflows = {
  opsbookLine,
  opsbookRateLimiter,
  opsbookTargetLock,
  opsbookNotice,
  opsbookEvents,
}
takeStarts([...Object.values(workflows), runbookRun])

export {
  opsbookEvents,
  opsbookLine,
  opsbookNotice,
  opsbookRateLimiter,
  opsbookTargetLock,
  // biome-ignore lint/style/noDefaultExport: the SDK requires a default export
  runbookRun as default,
}
