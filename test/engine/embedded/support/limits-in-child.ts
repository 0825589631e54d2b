/**
 * Uses the shared limits in a process of its own, so that a test can kill it. Takes a job as JSON; prints a line of
 * JSON for everything it does. It never ends by itself while it holds something.
 */
import type { RateLease, RateWindow } from 'opsbook/api'

export interface LimitsJob {
  readonly dataDir: string
  readonly marginMs: number
  readonly windows: readonly RateWindow[]
  /** Makes this many calls, one after the other, and prints when the service counted each. */
  readonly calls?: number
  /** Takes this many places and keeps them; the first of them are sent. */
  readonly keep?: { readonly unsent: number; readonly sent: number }
  /** Takes the target this many times, and prints from when to when it had it. */
  readonly holds?: number
  /** Takes a target and keeps it. */
  readonly target?: string
  /** Sets the clock of this process ahead, and back again and again while it makes its calls. */
  readonly clockAheadMs?: number
  /** Calls through a client to this address instead. */
  readonly url?: string
}

const job = JSON.parse(process.argv[2] ?? '') as LimitsJob
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
let aheadMs = job.clockAheadMs ?? 0
setClock()
// After the clock: what is loaded may look at it.
const { createSharedLimits } = await import('opsbook')
const limits = createSharedLimits(job.dataDir, { marginMs: job.marginMs })

function setClock(): void {
  const { now } = Date
  const { timeOrigin } = performance
  Date.now = () => now() + aheadMs
  Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin + aheadMs })
}

/** The clock of the machine, which all processes see alike. */
function machineMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

function acquire(): Promise<RateLease> {
  return limits.budget.acquire('key', job.windows)
}

/** Some passes of the event loop, so that the service counts at another instant each time. */
async function pass(): Promise<void> {
  for (let passes = Math.floor(Math.random() * 20); passes > 0; passes--) await new Promise(setImmediate)
}

async function callOften(calls: number): Promise<void> {
  for (let made = 0; made < calls; made++) {
    const lease = await acquire()
    await pass()
    lease.sent()
    await pass()
    print({ type: 'counted', at: machineMs() })
    await pass()
    lease.done()
    aheadMs = -aheadMs
  }
}

async function holdOften(target: string, holds: number): Promise<void> {
  const hold = async (): Promise<void> => {
    const free = await limits.targetLocks.acquire(target)
    const from = machineMs()
    await pass()
    print({ type: 'held', from, to: machineMs() })
    free()
  }
  await Promise.all(Array.from({ length: holds }, hold))
}

async function callService(url: string, calls: number): Promise<void> {
  const { createClient } = await import('opsbook/api')
  const { budget, targetLocks } = limits
  const options = { baseUrl: url, appKey: 'sandbox-owner', account: 'main', proxy: 'none' }
  const client = createClient({ ...options, budget, targetLocks })
  const input = { ds_type: 'prometheus', ds_name: 'prom-main', expr: 'up' } as const
  const target = { target_locator: 'web-01', tools: [{ tool: 'os.overview' }] }
  const made = Array.from({ length: calls }, async () => {
    await client.previewDatasource(input)
    await client.invokeTools(target)
    print({ type: 'called' })
  })
  await Promise.all(made)
  await client.close()
}

async function keep({ sent, unsent }: { readonly sent: number; readonly unsent: number }): Promise<void> {
  for (let made = 0; made < sent; made++) {
    const lease = await acquire()
    print({ type: 'sends', at: machineMs() })
    lease.sent()
  }
  for (let made = 0; made < unsent; made++) await acquire()
}

if (job.url !== undefined) await callService(job.url, job.calls ?? 0)
else await callOften(job.calls ?? 0)
if (job.keep) await keep(job.keep)
if (job.target !== undefined && job.holds !== undefined) await holdOften(job.target, job.holds)
else if (job.target !== undefined) {
  await limits.targetLocks.acquire(job.target, { onWait: () => print({ type: 'waits' }) })
}
print({ type: 'done', at: machineMs() })
if (job.keep || (job.target !== undefined && job.holds === undefined)) setInterval(() => {}, 60_000)
else limits.close()
