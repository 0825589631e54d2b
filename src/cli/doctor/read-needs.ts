import type { Action } from '../../actions/index.ts'
import type { Plan } from '../../core/plan.ts'
import { secretNames } from '../../core/secrets.ts'
import { loadRunbook } from '../../load/index.ts'
import { httpConnections, serviceConnections } from '../shared/configuration/connections-schema.ts'
import type { Configuration } from '../shared/configuration/read-configuration.ts'
import type { Io } from '../shared/io.ts'
import { loadActions } from '../shared/load-actions.ts'
import { listOwnRunbooks } from '../shared/runbook-files/find-runbook.ts'
import { readBeside, readRunbookText } from '../shared/runbook-files/read-runbook-text.ts'
import { needsDefaultConnection, usesOf } from '../shared/uses-of-plan.ts'

/** What the valid runbooks of this folder need. */
export interface Needs {
  /** The actions that runbooks here can use. */
  readonly actions: readonly Action[]
  readonly plans: readonly Plan[]
  /** Names of secrets. */
  readonly secrets: ReadonlySet<string>
  /** Names of connections. */
  readonly connections: ReadonlySet<string>
  /** A step calls the service without naming a connection. Without runbooks: no other connections are configured. */
  readonly needsDefault: boolean
  /** Why the runbooks could not be read. */
  readonly problem?: unknown
}

/** Loads the runbooks of this folder. Never rejects. */
export async function readNeeds({ document }: Configuration, io: Io): Promise<Needs> {
  try {
    const actions = await loadActions(io)
    const files = (await listOwnRunbooks(io)).map(({ file }) => file)
    const plans = files.flatMap((file) => {
      const read = readRunbookText(file)
      if ('problem' in read) return []
      return loadRunbook(read.text, actions, { file, readRunbook: readBeside(file) }).plan ?? []
    })
    return {
      actions,
      plans,
      secrets: new Set(plans.flatMap((plan) => [...secretNames(plan)])),
      connections: new Set(plans.flatMap(usesOf).flatMap(({ connection }) => connection ?? [])),
      // An invalid runbook may need it.
      needsDefault:
        plans.length < files.length ||
        (files.length === 0 && !isForOthers(document.connections)) ||
        plans.some((plan) => needsDefaultConnection(plan, actions)),
    }
  } catch (problem) {
    return {
      actions: [],
      plans: [],
      secrets: new Set(),
      connections: new Set(),
      needsDefault: true,
      problem,
    }
  }
}

/** Whether all connections lead to other systems. */
function isForOthers(connections: Configuration['document']['connections']): boolean {
  const count = (of: object): number => Object.keys(of).length
  return count(serviceConnections(connections)) === 0 && count(httpConnections(connections)) > 0
}
