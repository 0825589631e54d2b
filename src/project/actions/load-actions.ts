import { spawnSync } from 'node:child_process'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Action, type ActionsOptions, createActions } from '../../actions/index.ts'
import type { ActionDescription } from '../../core/action.ts'
import { builtinActions } from '../../core/builtins/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { libraryFolder } from '../../engine/index.ts'
import type { LoadOptions } from '../../load/index.ts'
import { CommandError } from '../command-error.ts'
import { resolvePath } from '../configuration/data-dir.ts'
import { knownNotifyNames } from '../configuration/notify-targets.ts'
import { peopleOf } from '../configuration/people-of.ts'
import { type Configuration, readConfiguration, readUntrusted } from '../configuration/read-configuration.ts'
import { requireTrust } from '../configuration/require-trust.ts'
import { readHttpRules } from '../connections/http-rules.ts'
import { refuseSpecial, specialFile } from '../files/special-file.ts'
import type { Surroundings } from '../surroundings.ts'

/**
 * Loads all actions that `uses` can name here: built-in ones, and those of the modules in `opsbook.yaml`. Every command
 * uses it, so that all of them know the same actions.
 */
export async function loadActions(io: Surroundings): Promise<readonly Action[]> {
  const configuration = await readConfiguration(io)
  const { file, document } = configuration
  const options = actionsOptions(configuration)
  const { actions: modules = [] } = document
  const own: Action[] = [...(await apiActions(configuration, io))]
  if (file === undefined || modules.length === 0) return createActions(own, options)
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

/** The actions of OpenAPI documents. What reads them is loaded only where there are any. */
async function apiActions(configuration: Configuration, io: Surroundings): Promise<readonly Action[]> {
  if (configuration.document.apis === undefined) return []
  const { loadApis } = await import('./load-apis.ts')
  return loadApis(configuration, io)
}

/** What the configuration allows the built-in actions. */
function actionsOptions(configuration: Configuration): ActionsOptions {
  const { commands } = configuration.document
  return { http: readHttpRules(configuration), ...(commands === undefined ? {} : { commands }) }
}

/** The actions that are known without executing code of the project, and what else `opsbook.yaml` says to runbooks. */
export interface KnownActions extends Omit<LoadOptions, 'file' | 'readRunbook' | 'connections'> {
  readonly actions: readonly Action[]
  /** The modules of `actions` in `opsbook.yaml` that were not imported. */
  readonly notLoaded: readonly string[]
}

/** The actions for a read-only command, which imports modules of the project only with `--with-actions`. */
export async function lookUpActions(io: Surroundings, withActions: boolean): Promise<KnownActions> {
  const configuration = await readUntrusted(io)
  const { file, document } = configuration
  const names = {
    ...(file === undefined
      ? {}
      : {
          hooks: document.hooks ?? {},
          people: peopleOf(document),
          hasPublicUrl: document.serve?.['public-url'] !== undefined,
        }),
    ...knownNotifyNames(configuration),
  }
  if (withActions) return { actions: await loadActions(io), notLoaded: [], ...names }
  return {
    ...names,
    actions: createActions(await apiActions(configuration, io), actionsOptions(configuration)),
    notLoaded: document.actions ?? [],
  }
}

/** Descriptions of all actions, those of the core included, sorted by name. */
export async function loadDescriptions(io: Surroundings): Promise<readonly ActionDescription[]> {
  return [...builtinActions, ...(await loadActions(io))].toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  )
}

function definedTwice(name: string, one: string, other: string): CommandError {
  const places = one === other ? `twice in ${one}` : `in ${one} and in ${other}`
  return new CommandError('usage', `the action ${name} is defined ${places}`, {
    hints: ['give one of them another name'],
  })
}

/** Imports the actions that a module exports, alone or in lists. Throws if the module cannot be loaded. */
async function importActions(module: string, folder: string, io: Surroundings): Promise<readonly Action[]> {
  const file = resolvePath(module, folder, io)
  await access(file).catch(() => {
    throw refusal(module, `there is no file ${file}`, ['paths in opsbook.yaml are relative to opsbook.yaml'])
  })
  requireTrust({ file }, io)
  const exported = await importFile(file).catch((error: unknown) => {
    throw refusal(module, reasonOf(error, file), hintsOf(error), error)
  })
  // `export default` and a named export are often the same value.
  const values = [...new Set(Object.values(exported).flat())]
  const bare = values.filter(isDefinition).find((value) => !isAction(value))
  if (bare)
    throw refusal(module, `"${String(bare['name'])}" is a plain object`, ['wrap it in defineAction(…)'])
  const actions = values.filter(isAction)
  if (actions.length > 0) return actions
  throw refusal(module, 'it exports no action', ['export const myAction = defineAction({ … })'])
}

async function importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  refuseSpecial(file)
  return import(pathToFileURL(file).href)
}

/** Checks the shape, since the module may use another copy of the library. */
function isAction(value: unknown): value is Action {
  return isDefinition(value) && typeof value['checkInput'] === 'function'
}

function isDefinition(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  return 'name' in value && 'run' in value && typeof value.run === 'function'
}

function refusal(module: string, reason: string, hints: readonly string[], cause?: unknown): CommandError {
  return new CommandError('usage', `the actions of ${module} cannot be loaded: ${reason}`, {
    hints,
    cause,
  })
}

/** The error that the module threw, with its line if that is known. */
function reasonOf(error: unknown, file: string): string {
  if (!(error instanceof Error)) return String(error)
  const special = specialFile(file)
  if (special !== undefined) return `it is ${special}, not a file`
  const message = RunbookError.is(error) ? error.message : `${error.name}: ${error.message}`
  // The stack of a syntax error has no position.
  const where = error instanceof SyntaxError ? checkSyntax(file) : error.stack
  const frames = (where ?? '').split(/[\s()]+/)
  const frame = frames.find((part) => part.includes(file) && /:\d+$/.test(part))
  const [line = ''] = frame?.match(/(?<=:)\d+(:\d+)?$/) ?? []
  return line === '' ? message : `${message} (line ${line})`
}

/** What Node prints of the syntax of a module. Nothing in it is executed. */
function checkSyntax(file: string): string {
  return spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' }).stderr
}

function hintsOf(error: unknown): readonly string[] {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return ['compile it to JavaScript, and name the .js or .mjs file']
  if (code === 'ERR_MODULE_NOT_FOUND' && /package 'opsbook'/.test(message))
    return [`install the library where the module is: npm install ${libraryFolder()}`]
  return []
}
