import { access } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { Action } from '../actions/index.ts'
import { RunbookError } from '../core/run-error.ts'
import { libraryFolder } from '../engine/library-folder.ts'
import { CommandError } from './command-error.ts'
import { requireTrust } from './configuration/require-trust.ts'
import { resolvePath } from './configuration/resolve-path.ts'
import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'

/** The actions that a module exports, alone or in lists. A module that cannot be loaded ends the command. */
export async function importActions(module: string, folder: string, io: Io): Promise<readonly Action[]> {
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
  return import(pathToFileURL(file).href)
}

/** By shape: the module may have another copy of the library than this command. */
function isAction(value: unknown): value is Action {
  return isDefinition(value) && typeof value['checkInput'] === 'function'
}

function isDefinition(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  return 'name' in value && 'run' in value && typeof value.run === 'function'
}

function refusal(module: string, reason: string, hints: readonly string[], cause?: unknown): CommandError {
  return new CommandError(exitCodes.usage, `the actions of ${module} cannot be loaded: ${reason}`, {
    hints,
    cause,
  })
}

/** What the module threw, and the line of it where that can be found. */
function reasonOf(error: unknown, file: string): string {
  if (!(error instanceof Error)) return String(error)
  const message = RunbookError.is(error) ? error.message : `${error.name}: ${error.message}`
  const places = (error.stack ?? '').split(/[\s()]+/)
  const place = places.find((part) => part.includes(file) && /:\d+$/.test(part))
  const [line = ''] = place?.match(/(?<=:)\d+(:\d+)?$/) ?? []
  return line === '' ? message : `${message} (line ${line})`
}

function hintsOf(error: unknown): readonly string[] {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return ['compile it to JavaScript, and name the .js or .mjs file']
  if (code === 'ERR_MODULE_NOT_FOUND' && /package 'opsbook'/.test(message)) {
    return [`install the library where the module is: npm install ${libraryFolder()}`]
  }
  return []
}
