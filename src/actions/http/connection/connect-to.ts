import { createAgents, retryAfterMs } from '../../../api/http/index.ts'
import { createRateBudget } from '../../../api/index.ts'
import { steadyNow, unlimited } from '../../../api/pacing/index.ts'
import { defaultThrottle } from '../../../core/calls/index.ts'
import { windowsOf } from '../../../core/pacing/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { createAddressRules } from '../address-rules.ts'
import { createLogin } from './create-login.ts'
import {
  baseUrlProblem,
  type HttpConnection,
  type HttpConnectionOptions,
  secretsOfAddress,
} from './http-connection.ts'
import { tlsProblem } from './tls-problem.ts'

/** How long a 429 without a time pauses all requests. */
const usualPauseMs = 1000

/** The connection that the options describe. */
export function connectTo(options: HttpConnectionOptions): HttpConnection {
  const { name, headers = {}, limits, tls, rules } = options
  const address = readBaseUrl(options)
  const { hostProblem, lookup } = createAddressRules(rules)
  const refused = hostProblem(address.hostname)
  if (refused !== undefined)
    throw new RunbookError('AddressNotAllowed', `the connection "${name}": ${refused}`, { notSent: true })
  const wrong = tls && tlsProblem(tls)
  if (wrong !== undefined)
    throw new RunbookError('InvalidInput', `the connection "${name}": ${wrong}`, { notSent: true })
  const agents = createAgents(undefined, { kind: 'environment' }, lookup, tls)
  const login = createLogin(options.auth, { name, agents, hostProblem })
  const windows = limits === undefined ? [] : windowsOf(limits)
  const budget = options.budget ?? createRateBudget()
  const rateKey = `http ${name} ${address.origin}`
  const basePath = address.pathname.replace(/\/+$/, '')
  return {
    kind: 'http',
    name,
    origin: address.origin,
    secrets: [...(options.isSecret ? secretsOfAddress(options.baseUrl) : []), ...login.secrets],
    headers,
    errors: options.errors ?? {},
    login,
    agents,
    target: (path) => ({
      path: path === '' ? address.pathname : basePath + path,
      search: address.search,
      shown: options.isSecret ? path : path === '' ? address.pathname : basePath + path,
    }),
    acquire: async (how, own) => {
      const fitting = own === undefined ? windows : windowsOf(own)
      if (fitting.length === 0) return unlimited
      const key = own === undefined ? rateKey : `${rateKey} ${own.action}`
      return budget.acquire(key, fitting, { ...how, maxWaitMs: defaultThrottle.maxWaitMs })
    },
    pause({ headers }) {
      const pauseMs = retryAfterMs(headers, Date.now()) ?? usualPauseMs
      if (windows.length > 0) budget.pause(rateKey, steadyNow() + pauseMs)
    },
    close: () => agents.close(),
  }
}

/** The address of a connection. The message does not repeat a wrong one. */
function readBaseUrl({ name, baseUrl, isSecret = false }: HttpConnectionOptions): URL {
  const problem = baseUrlProblem(baseUrl, isSecret)
  if (problem === undefined) return new URL(baseUrl)
  throw new RunbookError('InvalidInput', `the address of the connection "${name}" ${problem}`, {
    notSent: true,
  })
}
