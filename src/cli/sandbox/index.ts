/** `opsbook sandbox`: the stand-in for the service, until a signal stops it. */

import { resolve } from 'node:path'
import { parseDuration } from '../../core/times/index.ts'
import { refuseToReplaceSpecial } from '../../project/files/index.ts'
import { CommandError } from '../../project/index.ts'
import { type Sandbox, type SandboxOptions, sandboxKeys, startSandbox } from '../../sandbox/index.ts'
import { answer, type CommandContext, tell } from '../shared/context.ts'
import { isLoopback } from '../shared/read-listen.ts'
import { columns } from '../shared/terminal/columns.ts'

/** The flags of `sandbox`, as the parser hands them over. */
export interface SandboxCommandOptions {
  readonly port: string
  readonly host: string
  readonly allowHost?: readonly string[]
  readonly state?: string
  readonly latency?: string
  readonly limits: boolean
  readonly webhook?: string
  readonly seed?: string
}

/** Runs a sandbox until a stop signal. The first line on stdout is its base URL. */
export async function sandbox(context: CommandContext, options: SandboxCommandOptions): Promise<void> {
  const settings = readOptions(options, context)
  const running = await start(settings)
  await new Promise<void>((stop) => {
    // Keeps listening, so that a second Ctrl-C does not prevent a clean exit.
    context.io.onStopSignal(() => stop())
    answer(context, running.url)
    if (!isLoopback(options.host)) tell(context, openToOthers(options, running.url, context))
    tell(context, welcome(running.url, context))
  })
  await running.close()
}

function readOptions(options: SandboxCommandOptions, { io }: CommandContext): SandboxOptions {
  const port = /^\d{1,5}$/.test(options.port) ? Number(options.port) : Number.NaN
  if (!(port <= 65_535)) throw mistake(`--port takes a number from 0 to 65535, not "${options.port}"`)
  const latencyMs = options.latency === undefined ? 0 : parseDuration(options.latency)
  if (latencyMs === undefined)
    throw mistake(`--latency takes a duration such as 20ms or 1s, not "${options.latency}"`)
  if (options.webhook !== undefined && !/^https?:\/\/[^/]/.test(options.webhook))
    throw mistake('--webhook takes an http or https address')
  return {
    port,
    host: options.host,
    ...(options.allowHost === undefined ? {} : { allowHosts: options.allowHost }),
    latencyMs,
    limits: options.limits,
    ...(options.state === undefined ? {} : { stateFile: resolve(io.workingDirectory, options.state) }),
    ...(options.webhook === undefined ? {} : { webhookUrl: options.webhook }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
  }
}

async function start(options: SandboxOptions): Promise<Sandbox> {
  try {
    if (options.stateFile !== undefined) refuseToReplaceSpecial(options.stateFile)
    return await startSandbox(options)
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException
    if (options.stateFile !== undefined && syscall !== 'listen' && syscall !== 'getaddrinfo') {
      throw new CommandError('environment', `the state file cannot be used: ${message}`, {
        hints: ['choose a file that can be read and written with --state'],
        cause: error,
      })
    }
    const place = `${options.host}:${options.port}`
    const known: Readonly<Record<string, readonly [string, string]>> = {
      EADDRINUSE: [
        `${place} is in use by another process`,
        'choose another with --port, or --port 0 for a free one',
      ],
      EACCES: [`${place} may not be used by this user`, 'choose a port above 1023 with --port'],
      EADDRNOTAVAIL: [`${place} is not an address of this machine`, 'choose another with --host'],
      ENOTFOUND: [`the host "${options.host}" is not known`, 'choose another with --host'],
    }
    const [problem, hint] = known[code ?? ''] ?? [`the sandbox cannot be started: ${message}`, undefined]
    throw new CommandError('environment', problem, { hints: hint ? [hint] : [], cause: error })
  }
}

/** A warning that others can use the sandbox: its keys are public, and control endpoints need none. */
function openToOthers(
  { host }: SandboxCommandOptions,
  url: string,
  { errorPaint }: CommandContext,
): readonly string[] {
  const head = errorPaint.yellow('warning:')
  return [
    '',
    `${head} the sandbox listens on ${host}, port ${new URL(url).port}: every machine that reaches it can use it,`,
    'change its data, and make it send requests to addresses that only this machine reaches',
    `  ${errorPaint.cyan('→')} leave --host out to serve this machine only`,
  ]
}

function welcome(url: string, { errorPaint }: CommandContext): readonly string[] {
  const keys = columns(sandboxKeys.map(({ key, description }) => [key, description]))
  return [
    '',
    'The sandbox is running. Ctrl-C stops it.',
    '',
    errorPaint.bold('Keys'),
    ...keys.map((line) => `  ${line}`),
    '',
    errorPaint.bold('Try it in another terminal'),
    `  export OPSBOOK_BASE_URL=${url} OPSBOOK_APP_KEY=sandbox-owner`,
    '  opsbook call monit/tools/catalog --input target_locator=web-01',
    '',
    `  curl -s '${url}/monit/tools/catalog?app_key=sandbox-owner' -H 'content-type: application/json' -d '{"target_locator":"web-01"}'`,
    '',
  ]
}

function mistake(message: string): CommandError {
  return new CommandError('usage', message)
}
