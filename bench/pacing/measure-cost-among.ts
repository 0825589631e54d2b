import { once } from 'node:events'
import { createClient } from 'opsbook/api'
import type { SharedParts } from './call-together.ts'
import { application_id } from './loads.ts'
import { bareClient, type Cost, compareCost } from './measure-cost.ts'
import { heard, startRole } from './roles.ts'

/** The same while other processes make calls of the same account, one after the other as well. */
export interface CostAmong extends Cost {
  readonly others: number
}

interface Job<Place> {
  readonly baseUrl: string
  /** Of what the processes share. */
  readonly place: Place
}

/** What the others have called when they count as being there. */
const firstCalls = 20

/** The role `other`: makes calls until it is told to end. */
export async function keepCalling<Place>(
  { perMinute }: Cost,
  open: (place: Place) => Promise<SharedParts>,
): Promise<void> {
  const { baseUrl, place } = await heard<Job<Place>>(process)
  const { close, ...shared } = await open(place)
  const client = createClient({ ...bareClient(baseUrl, perMinute), ...shared })
  let isOver = false
  process.once('message', () => {
    isOver = true
  })
  for (let made = 0; !isOver; made++) {
    await client.listIngestionRules({ application_id })
    if (made === firstCalls) process.send?.('ready')
  }
  await client.close()
  await close()
  process.exit()
}

/** Prints what shared limits cost a process that has not got them to itself. */
export async function measureCostAmong<Place>(
  cost: CostAmong,
  place: Place,
  open: (place: Place) => Promise<SharedParts>,
): Promise<void> {
  const server = startRole('bare')
  const baseUrl = await heard<string>(server)
  const shared = await open(place)
  const others = Array.from({ length: cost.others }, () => startRole('other'))
  const areThere = others.map((other) => heard(other))
  for (const other of others) other.send({ baseUrl, place } satisfies Job<Place>)
  await Promise.all(areThere)
  await compareCost(cost, baseUrl, () => shared)
  const ended = others.map((other) => once(other, 'exit'))
  for (const other of others) other.send('end')
  await Promise.all(ended)
  await shared.close()
  server.kill()
}
