import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { grpcError } from '../connection.ts'
import { searchAttributes } from '../messages.ts'
import { atServer, type ClientPorts } from './client-ports.ts'

/** `INDEXED_VALUE_TYPE_KEYWORD` and `INDEXED_VALUE_TYPE_KEYWORD_LIST`. */
const types = { Keyword: 2, KeywordList: 7 } as const

/** The search attributes of runs that a namespace lacks. */
export async function missingSearchAttributes(client: Client): Promise<readonly string[]> {
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({
    namespace: client.options.namespace,
  })
  return Object.keys(searchAttributes).filter((name) => !Object.hasOwn(customAttributes ?? {}, name))
}

/** How long a server may take until it knows what was registered. */
const maxWaitMs = 10_000
const lookMs = 100

/** Registers those that are missing, and answers with their names once the server knows them. */
export function registerSearchAttributes(ports: ClientPorts): Promise<readonly string[]> {
  const { client } = ports
  const { namespace } = client.options
  return atServer(ports, async () => {
    const missing = await missingSearchAttributes(client)
    if (missing.length === 0) return []
    const wanted = Object.entries(searchAttributes).filter(([name]) => missing.includes(name))
    await client.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(wanted.map(([name, kind]) => [name, types[kind]])),
    })
    await untilKnown(client, missing)
    return missing
  })
}

/** Queries accept a search attribute only some time after its registration. */
async function untilKnown(client: Client, names: readonly string[]): Promise<void> {
  const query = names.map((name) => `${name} = 'x'`).join(' AND ')
  for (const endMs = Date.now() + maxWaitMs; ; ) {
    try {
      await client.workflow.count(query)
      return
    } catch (thrown) {
      if (!/search attribute/i.test(grpcError(thrown).details) || Date.now() > endMs) throw thrown
      await sleep(lookMs)
    }
  }
}
