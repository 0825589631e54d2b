import { type Client, operations, type RateLimit } from 'opsbook/api'

/** Calls of one operation that are made together. */
export interface Load {
  readonly calls: number
  readonly limit: RateLimit
  readonly call: (client: Client, index: number) => Promise<unknown>
}

/** By the operation's number in the document. */
export type Loads = Readonly<Record<string, Load>>

type Kind = 'E3' | 'E4' | 'E5' | 'E7'

export const application_id = 'CheckoutWebSandboxApp1'

/** As many calls of each operation; those that have a target go to so many of them, one after another. */
export function createLoads(calls: Partial<Record<Kind, number>>, targets: number): Loads {
  const kinds: Readonly<Record<Kind, Omit<Load, 'calls'>>> = {
    E3: {
      limit: operations.getApplications.limit,
      call: (client) => client.getApplications({ application_ids: [application_id] }),
    },
    E4: {
      limit: operations.invokeTools.limit,
      call: (client, index) =>
        client.invokeTools({
          target_locator: `node-${(index % targets) + 1}`,
          tools: [{ tool: 'os.overview' }],
        }),
    },
    E5: {
      limit: operations.previewDatasource.limit,
      call: (client) => client.previewDatasource({ ds_type: 'prometheus', ds_name: 'prom-main', expr: 'up' }),
    },
    E7: {
      limit: operations.disableRule.limit,
      call: (client) => client.disableRule({ application_id, rule_id: 'sev_crash' }),
    },
  }
  const named = Object.entries(calls) as [Kind, number][]
  return Object.fromEntries(named.map(([kind, count]) => [kind, { calls: count, ...kinds[kind] }]))
}
