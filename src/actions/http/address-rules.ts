import { lookup as lookupName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { proxyVariables } from '../../api/http/index.ts'
import { RunbookError } from '../../core/run-error.ts'

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

/** The rules applied to one request. */
export interface AddressRules {
  /** Why a host is refused, judged by its name or address alone. */
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

/**
 * Networks that are not the public internet: this machine, private and shared networks, link-local addresses with the
 * metadata of clouds, multicast, reserved ones, and IPv6 networks that carry an IPv4 address inside.
 */
const networks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Not private, but what Azure answers its machines with.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/9',
  'ff00::/8',
]

/** Knows addresses that only some machines reach. IPv4 addresses in IPv6 notation are judged as IPv4. */
const privateAddresses: BlockList = blockList(networks)

/** The addresses of some networks. Throws for one that is none. */
function blockList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = address.includes(':') ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}
