import { isWellFormed } from '../json.ts'

const maxNameLength = 200
/** Names that Windows reserves, with any extension. */
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(\..*)?$/i

/** Why a file of a run cannot have this name: it would leave the folder of the run, or some file system refuses it. */
export function fileNameProblem(name: string): string | undefined {
  const parts = name.split(/[\\/]/)
  if (name.length > maxNameLength) return `is longer than ${maxNameLength} characters`
  if (/^[\\/~]|^[a-z]:/i.test(name)) return 'is absolute; it must be relative to the artifacts of the run'
  if (parts.some((part) => part === '..' || part === '.' || part === ''))
    return 'leaves the folder of the run, or has an empty part'
  if (/[\p{Cc}<>:"|?*]/u.test(name) || !isWellFormed(name)) return 'has characters that file systems refuse'
  if (parts.some((part) => deviceName.test(part) || /[. ]$/.test(part)))
    return 'is a name that file systems refuse'
  if (isPartialName(name))
    return 'is named like a file that is still being written, which is removed after a crash'
  return undefined
}

/** Whether a file has the name of a partial file. */
export function isPartialName(name: string): boolean {
  return /\.[0-9a-f]{8}\.partial$/.test(name)
}
