import { mainAccount, otherAccount } from './keys.ts'

/** What is special about calling a host. */
export type HostBehaviour = 'unavailable' | 'slow' | 'busy' | 'stale' | 'cut-off' | 'denied' | 'flaky'

/** A monitored object. */
export interface SandboxHost {
  readonly locator: string
  readonly accountId: number
  /** More than one: the locator alone is ambiguous. */
  readonly kinds: readonly string[]
  /** One line for people. */
  readonly about: string
  readonly behaviour?: HostBehaviour
  readonly hasSickDisk?: boolean
  readonly hasMysql?: boolean
  readonly hasDocker?: boolean
}

const host = (locator: string, about: string, more: Partial<SandboxHost> = {}): SandboxHost => ({
  locator,
  accountId: mainAccount,
  kinds: ['host'],
  about,
  ...more,
})

export const hosts: readonly SandboxHost[] = [
  host('web-01', 'healthy; every tool works', { hasMysql: true, hasDocker: true }),
  host('disk-01', 'a nearly full disk with read errors', { hasSickDisk: true }),
  host('down-01', 'unreachable: target_unavailable', { behaviour: 'unavailable' }),
  host('slow-01', 'every tool takes seconds', { behaviour: 'slow' }),
  host('busy-01', 'takes one call at a time: the second gets overloaded', { behaviour: 'busy' }),
  host('db-01', 'a host and a MySQL: ambiguous without target_kind', {
    kinds: ['host', 'mysql'],
    hasMysql: true,
  }),
  host('stale-01', 'knows other tools than the service: unknown_toolset_hash', { behaviour: 'stale' }),
  host('edge-01', 'behind a broken edge: forward_failed', { behaviour: 'cut-off' }),
  host('denied-01', 'its agent refuses every tool: permission_denied', { behaviour: 'denied' }),
  host('flaky-01', 'each tool fails the first time (internal) and works from then on', {
    behaviour: 'flaky',
  }),
  host('other-01', 'a host of the other account', { accountId: otherAccount }),
]

const byLocator = new Map(hosts.map((item) => [item.locator, item]))

/** A host of the account; besides those of the table there are `node-1` … `node-10000`, all healthy. */
export function findHost(accountId: number, locator: string): SandboxHost | undefined {
  const number = /^node-([1-9]\d{0,4})$/.exec(locator)?.[1]
  if (number !== undefined && Number(number) <= 10_000 && accountId === mainAccount)
    return host(locator, 'healthy', { hasDocker: true })
  const found = byLocator.get(locator)
  return found?.accountId === accountId ? found : undefined
}
