import type { RunScope } from '../../engine/embedded/index.ts'
import type { UnownedRun } from '../../engine/embedded/run-scope.ts'
import { addressOf } from '../configuration/connection.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import type { Io } from '../io.ts'
import { isSandboxName } from '../sandbox-name.ts'

/** What `serve` continues runs with. */
export interface ServeScope extends RunScope {
  readonly isSandbox: boolean
  /** Also runs that a person stopped. */
  readonly continuesAll: boolean
  readonly configuration: Configuration
}

/** Why `serve` leaves a run alone: it belongs elsewhere, or a person stopped it. Undefined: it may continue it. */
export function whyLeftAlone(run: UnownedRun, here: ServeScope, io: Io): string | undefined {
  const elsewhere = whyElsewhere(run, here, io)
  if (elsewhere !== undefined || !run.isStopped || here.continuesAll) return elsewhere
  return 'a person stopped it with Ctrl-C or SIGTERM; "opsbook resume" or --continue-all continues it'
}

/** Why a run does not belong here: it belongs to another project, connection or sandbox. Undefined: it belongs here. */
function whyElsewhere({ id, connection, scope }: UnownedRun, here: ServeScope, io: Io): string | undefined {
  if (scope === undefined)
    return `a program started it, and named no project for it; "opsbook resume ${id}" continues it`
  const { project, service } = scope
  if (project !== here.project) return `it belongs to the project ${project}`
  if (service === here.service) return undefined
  if (isSandboxName(connection))
    return `it belongs to a sandbox that has ended; "opsbook resume ${id}" continues it in a new sandbox, "opsbook cancel ${id}" ends it`
  const named = connection === undefined ? (service ?? 'no connection') : `the connection "${connection}"`
  if (here.isSandbox) return `it belongs to ${named}, and not to this sandbox`
  if (service === undefined) return undefined
  if (connection === undefined) return `it belongs to ${named}`
  const address = addressOf(connection, here.configuration, io)
  if (address === undefined) return `its connection "${connection}" is not configured here`
  if (address !== service)
    return `its connection "${connection}" was at ${service}, and is at ${address} here`
  return undefined
}
