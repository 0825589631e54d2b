import { lookup as lookupName } from 'node:dns'
import { type BlockList, isIP, type LookupFunction } from 'node:net'
import { proxyVariables } from '../../api/proxies.ts'
import { RunbookError } from '../../core/run-error.ts'
import { blockList, privateAddresses } from './private-addresses.ts'

/** Where `core/http` may send requests. */
export interface HttpRules {
  /**
   * Host names, `*.` before a name for all below it, IP addresses, and networks such as `10.1.0.0/16`.
   * @default any
   */
  readonly allow?: readonly string[]
  /**
   * Refuses addresses that are not of the public internet, whatever name leads to them. Those that `allow` names as
   * addresses or networks stay allowed.
   * @default false
   */
  readonly denyPrivate?: boolean
}

/** What the rules say of one request. */
export interface AddressRules {
  /** Why a host cannot be reached, as far as its name or written address tells. */
  hostProblem(host: string): string | undefined
  /** Resolves names to allowed addresses alone: what is checked is what is connected to. Undefined: there are no rules. */
  readonly lookup: LookupFunction | undefined
}

/** An entry that is an address or a network. */
export function isNetwork(entry: string): boolean {
  return isIP(entry.split('/', 1)[0] ?? '') !== 0
}

/** Compiles the rules. Throws for a network that is none. */
export function createAddressRules({ allow, denyPrivate = false }: HttpRules = {}): AddressRules {
  if (allow === undefined && !denyPrivate) return { hostProblem: () => undefined, lookup: undefined }
  const networks = blockList((allow ?? []).filter(isNetwork))
  const names = allow?.filter((entry) => !isNetwork(entry)).map((entry) => entry.toLowerCase())
  const hasNetworks = allow?.some(isNetwork) === true
  const isNamed = (host: string): boolean => names?.some((name) => fits(name, host)) ?? true
  const isAllowed = (host: string, address: string): boolean =>
    contains(networks, address) || (isNamed(host) && !(denyPrivate && contains(privateAddresses, address)))
  const refusal = (what: string): string =>
    `${what} is not allowed by "http" of opsbook.yaml${denyPrivate ? ', which denies private addresses' : ''}`
  return {
    hostProblem(written) {
      const host = bare(written)
      if (isIP(host) !== 0) return isAllowed(host, host) ? undefined : refusal(host)
      // A proxy resolves names itself: the address that it connects to cannot be checked.
      const isUnseen = Object.keys(proxyVariables()).length > 0
      const needsAddress = denyPrivate || hasNetworks
      if (isUnseen && needsAddress && names?.some((name) => fits(name, host)) !== true)
        return `${refusal(host)}; behind a proxy only names in "allow" are`
      return isNamed(host) || (hasNetworks && !isUnseen) ? undefined : refusal(host)
    },
    lookup(hostname, options, callback) {
      lookupName(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, [])
        const allowed = addresses.filter(({ address }) => isAllowed(bare(hostname), address))
        const [first] = allowed
        if (first === undefined) {
          const found = addresses.map(({ address }) => address).join(', ')
          return callback(notAllowed(refusal(`${hostname} (${found})`)), [])
        }
        return options.all ? callback(null, allowed) : callback(null, first.address, first.family)
      })
    },
  }
}

function notAllowed(message: string): RunbookError {
  return new RunbookError('AddressNotAllowed', message, { notSent: true })
}

/** As names are compared: without brackets and the dot at the end. */
function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}

function fits(name: string, host: string): boolean {
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** The rules as people read them. */
export function rulesText({ allow, denyPrivate = false }: HttpRules = {}): string {
  const where = allow === undefined ? 'any address' : allow.length === 0 ? 'no address' : allow.join(', ')
  return `${where}${denyPrivate ? '; private addresses are denied' : ''}`
}
