import { lstatSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, relative, sep } from 'node:path'
import { shellWord } from '../../core/shell-word.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'

/** Name of the variable with the folders whose configuration and code the user trusts, whoever owns them. */
const trustedFoldersVariable = 'OPSBOOK_TRUSTED_FOLDERS'

/** A file that a command is about to obey: `opsbook.yaml`, or a module with actions. */
export interface ObeyedFile {
  readonly file: string
  /** Root of the repository that holds the working directory but not the file. */
  readonly below?: string
}

/**
 * Ends the command where another user may have written a file, or where it stands above the user's repository. A file
 * in a folder of `OPSBOOK_TRUSTED_FOLDERS` passes: only the environment counts, which no project can set.
 */
export function requireTrust({ file, below }: ObeyedFile, io: Pick<Io, 'env'>): void {
  const stranger = strangerOf(file, io)
  if (stranger === undefined && below === undefined) return
  const folder = dirname(file)
  if (isTrusted(folder, io)) return
  const reason = stranger ?? `it stands above the repository ${below}, which you work in`
  const others = io.env[trustedFoldersVariable] ? `${delimiter}"$${trustedFoldersVariable}"` : ''
  throw new CommandError(exitCodes.environment, `${file} is not used: ${reason}`, {
    hints: [
      'it decides which code runs here, and where keys are sent: read it first; "opsbook validate" runs nothing of it',
      `to trust this folder and all folders in it: export ${trustedFoldersVariable}=${shellWord(folder)}${others}`,
    ],
  })
}

/** The user who runs the command. `sudoUserId`: who called `sudo` for it. */
export interface OwnIds {
  readonly userId: number
  readonly sudoUserId?: number
}

/** Whether an owner can do no more by a file than without it: the user, root, and whoever called `sudo`. */
export function isOwnFile(ownerId: number, { userId, sudoUserId }: OwnIds): boolean {
  return ownerId === userId || ownerId === 0 || (userId === 0 && ownerId === sudoUserId)
}

/** Who else owns the file, the link that leads to it, or their folder. Windows has no such owners. */
function strangerOf(file: string, { env }: Pick<Io, 'env'>): string | undefined {
  const userId = process.geteuid?.()
  if (userId === undefined) return undefined
  const sudo = env['SUDO_UID']
  const own = { userId, ...(sudo && /^\d+$/.test(sudo) ? { sudoUserId: Number(sudo) } : {}) }
  const owners = [
    { what: 'it', ownerId: lstatSync(file).uid },
    { what: 'it', ownerId: statSync(file).uid },
    { what: 'its folder', ownerId: statSync(dirname(file)).uid },
  ]
  const found = owners.find(({ ownerId }) => !isOwnFile(ownerId, own))
  return found && `${found.what} belongs to another user (${found.ownerId}, and you are ${userId})`
}

function isTrusted(folder: string, { env }: Pick<Io, 'env'>): boolean {
  const trusted = (env[trustedFoldersVariable] ?? '').split(delimiter).filter((entry) => entry !== '')
  const wrong = trusted.find((entry) => !isAbsolute(entry))
  if (wrong !== undefined) {
    throw new CommandError(exitCodes.usage, `${trustedFoldersVariable}: "${wrong}" is not an absolute path`, {
      hints: ['a relative path would trust whichever folder the command runs in'],
    })
  }
  const real = realpathSync(folder)
  return trusted.some((entry) => isIn(real, realPath(entry)))
}

/** A folder that is not there holds nothing. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}
