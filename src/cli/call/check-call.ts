import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Action } from '../../actions/index.ts'
import type { JsonObject } from '../../core/json.ts'
import { CommandError } from '../command-error.ts'
import type { CallOptions } from '../commands/call.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'

/** Checks everything about a call that can be known before anything is opened. Answers with the file to write. */
export async function checkCall(
  action: Action,
  input: JsonObject,
  options: CallOptions,
  io: Io,
): Promise<string | undefined> {
  refuseSecrets(action, options.input ?? [])
  const problems = action.checkInput(input)
  if (problems.length > 0) {
    throw new CommandError(exitCodes.usage, `the arguments do not fit ${action.name}; nothing was sent`, {
      hints: [
        ...problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)),
        `"opsbook actions ${action.name}" shows what it takes`,
      ],
    })
  }
  return checkFile(action, options.saveAs, io)
}

/** Secret arguments would stand in the process list. */
function refuseSecrets({ sensitiveInput = [] }: Action, flags: readonly string[]): void {
  const secret = sensitiveInput
    .map((field) => field.split('.')[0])
    .find((field) => flags.some((flag) => flag.startsWith(`${field}=`)))
  if (secret === undefined) return
  throw new CommandError(
    exitCodes.usage,
    `"${secret}" holds secrets: on the command line everybody on this machine could read them`,
    {
      hints: [
        'put the arguments into a file and name it with --inputs-file, or pipe them in with --inputs-file -',
      ],
    },
  )
}

async function checkFile(
  { name, savesFile }: Action,
  saveAs: string | undefined,
  { workingDirectory }: Io,
): Promise<string | undefined> {
  if (savesFile !== 'always') {
    if (saveAs === undefined) return undefined
    throw new CommandError(exitCodes.usage, `${name} writes no file: leave --save-as out`)
  }
  if (saveAs === undefined || saveAs === '') {
    throw new CommandError(exitCodes.usage, `${name} writes a file: say where`, {
      hints: ['such as --save-as session.ndjson'],
    })
  }
  const file = resolve(workingDirectory, saveAs)
  const folder = dirname(file)
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'there is no such folder' : 'no permission to write there'
    throw new CommandError(exitCodes.environment, `${folder} cannot be written to: ${reason}`)
  })
  return file
}
