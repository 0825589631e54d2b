import type { HttpConnection } from '../../actions/index.ts'
import type { Client } from '../../api/index.ts'
import { everyStep, type Plan } from '../../core/plan/index.ts'
import { errorData, RunbookError } from '../../core/run-error.ts'

/** What the name of a connection stands for. */
export type Connected = Client | HttpConnection

/** A connection, opened on first use. If it fails, nothing was sent. */
export type Connect = (name: string | undefined) => Promise<Connected>

/** Opens a connection. Without a name: the default one, of the service. */
export type OpenConnection = (name: string | undefined) => Connected | Promise<Connected>

/**
 * Opens each connection once. Those that the plan names are opened first, so that a missing one is found
 * before the run.
 */
export async function openConnections(open: OpenConnection, plan: Plan): Promise<Connect> {
  const clients = new Map<string | undefined, Promise<Connected>>()
  const connect: Connect = (name) => {
    const client = clients.get(name) ?? openOne(open, name)
    clients.set(name, client)
    return client
  }
  await Promise.all(connectionNames(plan).map(connect))
  return connect
}

async function openOne(open: OpenConnection, name: string | undefined): Promise<Connected> {
  try {
    return await open(name)
  } catch (thrown) {
    const { code, message } = errorData(thrown)
    throw new RunbookError(code, message, { notSent: true, cause: thrown })
  }
}

/** The connections that the steps of the plan and of its child runbooks name. */
function connectionNames(plan: Plan): readonly string[] {
  const names = everyStep(plan).flatMap((step) => (step.kind === 'uses' ? (step.uses.connection ?? []) : []))
  return [...new Set(names)]
}
