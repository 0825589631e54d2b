import { secretNames } from '../../../core/plan/index.ts'
import { loadRunbook } from '../../../load/index.ts'
import { loadActions, needsDefaultConnection, usesOf } from '../../../project/actions/index.ts'
import {
  type Configuration,
  httpConnections,
  serviceConnections,
} from '../../../project/configuration/index.ts'
import type { Surroundings } from '../../../project/index.ts'
import { listOwnRunbooks, readBeside, readRunbookText } from '../../../project/runbook-files/index.ts'

/** Why a thing that is missing does not matter here. Undefined: a runbook of this folder needs it, or may need it. */
export interface Needs {
  secret(name: string): string | undefined
  connection(name: string): string | undefined
  /** The connection of steps that call the service without naming one. */
  readonly default: string | undefined
  /** Why the runbooks could not be read. */
  readonly problem?: unknown
}

/** Loads the runbooks of this folder. Never rejects. */
export function readNeeds(configuration: Configuration, io: Surroundings): Promise<Needs> {
  const needed = (): undefined => undefined
  return read(configuration, io).catch((problem: unknown) => ({
    secret: needed,
    connection: needed,
    default: undefined,
    problem,
  }))
}

async function read({ document }: Configuration, io: Surroundings): Promise<Needs> {
  const actions = await loadActions(io)
  const files = (await listOwnRunbooks(io)).map(({ file }) => file)
  const plans = files.flatMap((file) => {
    const read = readRunbookText(file)
    if ('problem' in read) return []
    return loadRunbook(read.text, actions, { file, readRunbook: readBeside(file) }).plan ?? []
  })
  const secrets = new Set(plans.flatMap((plan) => [...secretNames(plan)]))
  const connections = new Set(plans.flatMap(usesOf).map(({ connection }) => connection))
  const count = (of: object): number => Object.keys(of).length
  const isForOthers =
    count(serviceConnections(document.connections)) === 0 && count(httpConnections(document.connections)) > 0
  // An invalid runbook may need anything.
  const unless = (isNeeded: boolean): string | undefined =>
    isNeeded || plans.length < files.length ? undefined : 'no runbook here needs it'
  return {
    secret: (name) => unless(files.length === 0 || secrets.has(name)),
    connection: (name) => unless(connections.has(name)),
    default: unless(
      files.length === 0 ? !isForOthers : plans.some((plan) => needsDefaultConnection(plan, actions)),
    ),
  }
}
