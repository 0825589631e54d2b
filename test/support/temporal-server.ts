/** The Temporal server of tests and benches: one that runs, or a program that is found, downloaded or built. */
import { Connection } from '@temporalio/client'
import { loadClientConnectConfig } from '@temporalio/envconfig'
import { type FindServerOptions, findServer as findProgram } from '../../src/cli/dev/server/find-server.ts'
import type { ProgramEnd } from '../../src/cli/dev/server/index.ts'
import * as product from '../../src/cli/dev/server/start-dev-server.ts'
import { RunbookError } from '../../src/core/run-error.ts'
import { buildServer } from './build-server.ts'

/** A Temporal server that runs, or the program that starts one. */
export type FoundServer =
  | { readonly kind: 'running'; readonly address: string }
  | { readonly kind: 'program'; readonly path: string }

export type DevServerOptions = Partial<product.DevServerOptions>

export interface DevServer {
  /** Host and port. */
  readonly address: string
  readonly namespace: string
  /** Missing without the UI, and for a server that ran before. */
  readonly uiAddress?: string
  /** Missing for a server that ran before. */
  readonly processId?: number
  /** When the server has ended. Never for one that ran before. */
  readonly ended: Promise<ProgramEnd>
  /** Ends the server and waits for its end. A server that ran before keeps running. */
  stop(): Promise<void>
}

const namespace = 'default'

/** Starts a server, or uses the one that `TEMPORAL_ADDRESS` names. */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const found = await findServer(options)
  if (found.kind === 'running')
    return { address: found.address, namespace, ended: new Promise(() => {}), stop: async () => {} }
  return { namespace, ...(await product.startDevServer(withDefaults(options))) }
}

/**
 * A running server, or a program that starts one. A server that is named in `TEMPORAL_ADDRESS` is the only one tried.
 * Throws `TemporalUnavailable` with every source that was tried, and why it failed.
 */
export async function findServer(given: Partial<FindServerOptions> = {}): Promise<FoundServer> {
  const options = withDefaults(given)
  const named = options.environment['TEMPORAL_ADDRESS']
  if (named) return { kind: 'running', address: await reach(named, options.environment) }
  try {
    return { kind: 'program', path: await findProgram(options) }
  } catch (error) {
    const why = await buildServer(options)
    if (why === undefined) return { kind: 'program', path: await findProgram(options) }
    if (!RunbookError.is(error)) throw error
    const { tried } = error.details as { readonly tried: readonly string[] }
    throw unavailable([...tried, `a build with Go: ${why}`])
  }
}

function withDefaults<T extends Partial<FindServerOptions>>(options: T): T & FindServerOptions {
  return { ...options, environment: options.environment ?? process.env, tell: options.tell ?? (() => {}) }
}

function unavailable(tried: readonly string[]): RunbookError {
  const message = `there is no Temporal server; tried ${tried.join('; ')}`
  return new RunbookError('TemporalUnavailable', message, { notSent: true, details: { tried: [...tried] } })
}

/** The address of a server that answers, with the settings that every Temporal tool reads. */
async function reach(named: string, environment: FindServerOptions['environment']): Promise<string> {
  try {
    const set = Object.entries(environment).filter((one): one is [string, string] => one[1] !== undefined)
    const { connectionOptions } = loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(set) })
    const connection = await Connection.connect({ ...connectionOptions, connectTimeout: 5_000 })
    await connection.close()
    return connection.options.address
  } catch (error) {
    throw unavailable([`TEMPORAL_ADDRESS: ${named} does not answer: ${(error as Error).message}`])
  }
}
