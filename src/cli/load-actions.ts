import { dirname } from 'node:path'
import { type Action, createActions } from '../actions/index.ts'
import type { ActionDescription } from '../core/action.ts'
import { coreActions } from '../core/core-actions.ts'
import { CommandError } from './command-error.ts'
import { readHttpRules } from './configuration/http-rules.ts'
import { readConfiguration, readUntrusted } from './configuration/read-configuration.ts'
import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'

/**
 * Everything `uses` can name here: what is built in, and what the modules of `actions` in `opsbook.yaml` bring.
 * Every command takes its actions from here, so that an action of a project is known to all of them or to none.
 */
export async function loadActions(io: Io): Promise<readonly Action[]> {
  const configuration = await readConfiguration(io)
  const { file, document } = configuration
  const options = { http: readHttpRules(configuration) }
  const { actions: modules = [] } = document
  if (file === undefined || modules.length === 0) return createActions([], options)
  const { importActions } = await import('./import-actions.ts')
  const own: Action[] = []
  const origins = new Map<string, string>()
  for (const module of modules) {
    for (const action of await importActions(module, dirname(file), io)) {
      const origin = origins.get(action.name)
      if (origin !== undefined) throw definedTwice(action.name, origin, module)
      origins.set(action.name, module)
      own.push(action)
    }
  }
  return createActions(own, options)
}

/** What `uses` can name, as far as it is known without running code of the project. */
export interface KnownActions {
  readonly actions: readonly Action[]
  /** The modules of `actions` in `opsbook.yaml` that were not imported, as they stand there. */
  readonly notLoaded: readonly string[]
}

/** The actions for a command that only looks: it imports the modules of a project where the user asks for it. */
export async function lookUpActions(io: Io, withActions: boolean): Promise<KnownActions> {
  if (withActions) return { actions: await loadActions(io), notLoaded: [] }
  const configuration = await readUntrusted(io)
  return {
    actions: createActions([], { http: readHttpRules(configuration) }),
    notLoaded: configuration.document.actions ?? [],
  }
}

/** All of them and those that the core carries out itself, as descriptions in the order of their names. */
export async function loadDescriptions(io: Io): Promise<readonly ActionDescription[]> {
  return [...coreActions, ...(await loadActions(io))].toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  )
}

function definedTwice(name: string, one: string, other: string): CommandError {
  const places = one === other ? `twice in ${one}` : `in ${one} and in ${other}`
  return new CommandError(exitCodes.usage, `the action ${name} is defined ${places}`, {
    hints: ['give one of them another name'],
  })
}
