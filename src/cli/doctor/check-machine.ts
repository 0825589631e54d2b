import { CommandError } from '../command-error.ts'
import { type Configuration, readLeniently } from '../configuration/index.ts'
import type { Io } from '../io.ts'
import { type Check, failedCheck } from './check.ts'

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > 20 || (major === 20 && minor >= 19)
  const message = `${version} on ${process.platform} ${process.arch}`
  return isEnough
    ? { name: 'node', status: 'ok', message }
    : { name: 'node', status: 'fail', message, hints: ['Opsbook needs Node 20.19 or newer'] }
}

/** The configuration as far as it can be read; an empty one stands in where it cannot. */
export async function checkConfiguration(
  io: Io,
): Promise<{ readonly check: Check; readonly configuration: Configuration }> {
  const name = 'configuration'
  try {
    const configuration = await readLeniently(io)
    const { file, document, notifyProblem } = configuration
    if (notifyProblem) return { check: failedCheck(name, notifyProblem), configuration }
    const names = Object.keys(document.connections ?? {})
    const message =
      file === undefined
        ? 'no opsbook.yaml here or above; environment variables only'
        : `${file}, connections: ${names.length === 0 ? 'none' : names.join(', ')}`
    return { check: { name, status: 'ok', message }, configuration }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { check: failedCheck(name, error), configuration: { document: {} } }
  }
}

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const

/** Which proxy variables are set. Their credentials are left out. */
export function checkProxies(env: Io['env']): Check {
  const name = 'proxies'
  const set = proxyVariables.flatMap((variable) => {
    const value = env[variable.toLowerCase()] || env[variable]
    return value ? [{ variable, value }] : []
  })
  if (set.length === 0) return { name, status: 'ok', message: 'none; connections are direct' }
  const wrong = set.filter(({ variable, value }) => variable !== 'NO_PROXY' && !isAddress(value))
  const message = set.map(({ variable, value }) => `${variable}=${shown(variable, value)}`).join(', ')
  return wrong.length === 0
    ? { name, status: 'ok', message }
    : {
        name,
        status: 'fail',
        message,
        hints: [
          `${wrong.map(({ variable }) => variable).join(', ')}: write the whole address, such as http://proxy:3128`,
        ],
      }
}

/** `proxy:3128` and `user:password@proxy` would be read as addresses with a strange protocol. */
function isAddress(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}

/** Of a value that is no address nobody can tell which part is the password. */
function shown(variable: string, value: string): string {
  if (variable !== 'NO_PROXY' && !isAddress(value)) return '(no address, so not shown)'
  return value.replace(/^(.*?\/\/)?.*@/s, '$1***@')
}
