import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type Client, createClient, type RateBudget, type TargetLocks } from 'opsbook/api'
import { application_id, type Loads } from './loads.ts'
import { type Held, printLoad, printRefused } from './print-results.ts'
import { heard, startRole } from './roles.ts'

/** What processes keep the limits with, of which each has a way of its own to what they share. */
export interface SharedParts {
  readonly budget: RateBudget
  readonly targetLocks: TargetLocks
  readonly account: string
  close(): Promise<void>
}

interface Job<Place> {
  readonly url: string
  /** Of what the processes share. */
  readonly place: Place
}

interface Done {
  readonly took: Readonly<Record<string, number>>
  readonly processorSeconds: number
}

/** What is measured: the processes share the calls among themselves. */
export interface Together extends Held {
  readonly processes: number
  readonly loads: Loads
}

/** The role `caller`: opens everything, and makes its part of the calls when it is told to. */
export async function makeCalls<Place>(
  { loads, processes }: Together,
  open: (place: Place) => Promise<SharedParts>,
): Promise<void> {
  const { url, place } = await heard<Job<Place>>(process)
  const { close, ...shared } = await open(place)
  const client = createClient({ baseUrl: url, appKey: 'sandbox-owner', proxy: 'none', ...shared })
  await client.listIngestionRules({ application_id }).catch(() => undefined)
  process.send?.('ready')
  await once(process, 'message')
  const took = await timeLoads(client, loads, processes)
  const { user, system } = process.cpuUsage()
  process.send?.({ took, processorSeconds: (user + system) / 1e6 } satisfies Done)
  await once(process, 'message')
  await client.close()
  await close()
  process.exit()
}

async function timeLoads(client: Client, loads: Loads, processes: number): Promise<Done['took']> {
  const startedAt = performance.now()
  const took = await Promise.all(
    Object.entries(loads).map(async ([name, { calls, call }]) => {
      await Promise.all(Array.from({ length: calls / processes }, (_, index) => call(client, index)))
      return [name, performance.now() - startedAt] as const
    }),
  )
  return Object.fromEntries(took)
}

/** Lets several callers share the calls, and prints how long each operation took and what was refused. */
export async function measureTogether<Place>(together: Together, place: Place): Promise<void> {
  const { loads, processes } = together
  const server = startRole('sandbox')
  const url = await heard<string>(server)
  const callers = Array.from({ length: processes }, () => startRole('caller'))
  const all = <Message>(message: object | string): Promise<readonly Message[]> => {
    const answers = callers.map((caller) => heard<Message>(caller))
    tell(callers, message)
    return Promise.all(answers)
  }
  await all({ url, place } satisfies Job<Place>)
  const done = await all<Done>('go')
  for (const [name, load] of Object.entries(loads)) {
    const ends = done.map(({ took }) => took[name] ?? Number.NaN)
    printLoad(together, name, load, Math.max(...ends), { firstSeconds: Math.min(...ends) / 1000 })
  }
  const processorSeconds = done.map((one) => one.processorSeconds)
  await printRefused(together, url, { processorSeconds })
  const ended = callers.map((caller) => once(caller, 'exit'))
  tell(callers, 'end')
  await Promise.all(ended)
  server.kill()
}

function tell(callers: readonly ChildProcess[], message: object | string): void {
  for (const caller of callers) caller.send(message)
}
