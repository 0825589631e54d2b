import { lstatSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, relative, sep } from 'node:path'
import { shellWord } from '../../core/text/index.ts'
import { CommandError } from '../command-error.ts'
import type { Surroundings } from '../surroundings.ts'

/** Name of the variable with the folders whose configuration and code the user trusts. */
const trustedFoldersVariable = 'OPSBOOK_TRUSTED_FOLDERS'

/** A file that decides what a command does: `opsbook.yaml`, or a module with actions. */
export interface ObeyedFile {
  readonly file: string
  /** Root of the repository that holds the working directory but not the file. */
  readonly below?: string
}

/**
 * Refuses a file that another user can write, or that is above the user's repository. Files in a folder of
 * `OPSBOOK_TRUSTED_FOLDERS` are accepted: a project cannot set the environment.
 */
export function requireTrust({ file, below }: ObeyedFile, io: Pick<Surroundings, 'env'>): void {
  // A link is written where it leads to, too.
  const [ofOthers] = [file, realpathSync(file)].flatMap((one) => otherOwnerOf(one, io) ?? openTo(one) ?? [])
  if (ofOthers === undefined && below === undefined) return
  const folder = dirname(file)
  if (isTrusted(folder, io)) return
  const reason = ofOthers ?? `it is above the repository ${below}, in which you work`
  const others = io.env[trustedFoldersVariable] ? `${delimiter}"$${trustedFoldersVariable}"` : ''
  throw new CommandError('environment', `${file} is not used: ${reason}`, {
    hints: [
      'it decides which code is executed here, and where keys are sent: read it first; "opsbook validate" executes nothing of it',
      `to trust this folder and all folders in it: export ${trustedFoldersVariable}=${shellWord(folder)}${others}`,
    ],
  })
}

/** The user who runs the command. `sudoUserId`: the caller of `sudo`. */
export interface OwnIds {
  readonly userId: number
  readonly sudoUserId?: number
}

/** Whether a file belongs to the user, to root, or to the caller of `sudo`. */
export function isOwnFile(ownerId: number, { userId, sudoUserId }: OwnIds): boolean {
  return ownerId === userId || ownerId === 0 || (userId === 0 && ownerId === sudoUserId)
}

/** Another owner of the file, of the link to it, or of its folder. Windows has no such owners. */
function otherOwnerOf(file: string, { env }: Pick<Surroundings, 'env'>): string | undefined {
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

/** Whether every user of the machine may write the file, or put another one in its place. Windows has no such modes. */
function openTo(file: string): string | undefined {
  if (process.geteuid === undefined) return undefined
  const [ofFile, ofFolder] = [statSync(file).mode, statSync(dirname(file)).mode]
  const hint = '"chmod o-w" ends that'
  if ((ofFile & 0o002) !== 0) return `every user of this machine may write it; ${hint}`
  // In a sticky folder such as /tmp, only its owner can replace a file.
  return (ofFolder & 0o1002) === 0o002
    ? `every user of this machine may write it, by its folder; ${hint}`
    : undefined
}

function isTrusted(folder: string, { env }: Pick<Surroundings, 'env'>): boolean {
  const trusted = (env[trustedFoldersVariable] ?? '').split(delimiter).filter((entry) => entry !== '')
  const wrong = trusted.find((entry) => !isAbsolute(entry))
  if (wrong !== undefined) {
    throw new CommandError('usage', `${trustedFoldersVariable}: "${wrong}" is not an absolute path`, {
      hints: ['a relative path would trust any folder that the command runs in'],
    })
  }
  const real = realpathSync(folder)
  return trusted.some((entry) => isIn(real, realPath(entry)))
}

/** The real path of a folder; unchanged if it does not exist. */
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
