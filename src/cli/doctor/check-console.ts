import { createServer } from 'node:net'
import { checkProvider } from '../../console/server/index.ts'
import { isConsoleOpen } from '../console/code-socket.ts'
import { type ConsoleAddress, readConsoleAddress } from '../console/console-address.ts'
import { whyNoSocket } from '../console/listen-on-socket.ts'
import { readConsoleAuth } from '../console/read-auth.ts'
import { chooseDataDir } from '../shared/configuration/data-dir.ts'
import type { Configuration } from '../shared/configuration/read-configuration.ts'
import type { CommandContext } from '../shared/context.ts'
import { type Check, type DoctorOptions, failedCheck } from './check.ts'

/** Checks the console of `opsbook.yaml`: where it listens, and how people log in. Empty: it asks for none. */
export async function checkConsole(
  { dataDir }: DoctorOptions,
  configuration: Configuration,
  context: CommandContext,
): Promise<readonly Check[]> {
  const { console: wanted } = configuration.document
  if (wanted === undefined) return []
  const folder = chooseDataDir(dataDir, configuration, context.io)
  return [await checkAddress(wanted, folder), ...(await checkAuth(configuration, context))]
}

async function checkAddress(
  wanted: Parameters<typeof readConsoleAddress>[0],
  dataDir: string,
): Promise<Check> {
  const name = 'console'
  try {
    const address = readConsoleAddress(wanted, dataDir)
    const shown = 'socket' in address ? `unix:${address.socket}` : `${address.host}:${address.port}`
    const people = wanted['public-url'] === undefined ? '' : `, for people ${wanted['public-url']}`
    if (await isConsoleOpen(dataDir))
      return { name, status: 'ok', message: `serve listens at ${shown}${people}` }
    const obstacle = await ('socket' in address ? whyNoSocket(address.socket) : portObstacle(address))
    if (obstacle === undefined) return { name, status: 'ok', message: `${shown}${people}` }
    return {
      name,
      status: 'fail',
      message: `console.listen: ${obstacle}`,
      hints: ['"serve" would not start: name another address, or stop the process that has it'],
    }
  } catch (error) {
    return failedCheck(name, error)
  }
}

/** Why nobody could listen at an address. It is listened at for a moment. */
function portObstacle({
  host,
  port,
}: Exclude<ConsoleAddress, { socket: string }>): Promise<string | undefined> {
  const shown = `${host}:${port}`
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      resolve(
        code === 'EADDRINUSE'
          ? `${shown} is in use by another process`
          : `${shown} cannot be used: ${message}`,
      ),
    )
    server.listen({ host, port }, () => server.close(() => resolve(undefined)))
  })
}

async function checkAuth(configuration: Configuration, context: CommandContext): Promise<readonly Check[]> {
  const name = 'console log-in'
  try {
    const { auth, warnings } = await readConsoleAuth(configuration, context)
    if (auth === undefined) return []
    const status = warnings.length > 0 ? 'warn' : 'ok'
    if (auth.type === 'proxy') {
      const proof = auth.secret === undefined ? 'over a unix socket' : 'with a secret'
      return [{ name, status, message: `by a proxy ${proof}`, hints: warnings }]
    }
    const { problem } = await checkProvider(auth)
    if (problem === undefined)
      return [{ name, status, message: `by the provider at ${auth.issuer.host}`, hints: warnings }]
    return [
      {
        name,
        status: 'fail',
        message: problem,
        hints: [...warnings, '"console.auth.issuer" is spelled as the provider does, without /.well-known'],
      },
    ]
  } catch (error) {
    return [failedCheck(name, error)]
  }
}
