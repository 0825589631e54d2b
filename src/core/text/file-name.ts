import { utf8ToBytes } from '@noble/hashes/utils.js'
import { isWellFormed } from '../json.ts'

const maxNameBytes = 200
/** Names that Windows reserves, with any extension. */
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³]) *(\..*)?$/i

/** Why a file of a run cannot have this name: it would leave the folder of the run, or some file system refuses it. */
export function fileNameProblem(name: string): string | undefined {
  const parts = name.split(/[\\/]/)
  if (utf8ToBytes(name).length > maxNameBytes) return `is longer than ${maxNameBytes} bytes`
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

/** One key for all names that some file system treats as the same file. */
export function fileKey(name: string): string {
  return name.replaceAll('\\', '/').normalize('NFC').toLowerCase()
}

/**
 * Records who writes a file. Returns the earlier writer of what excludes it: of the same file, of a file inside a
 * folder of this name, or of a file with the name of one of its folders.
 */
export function claimFileName<Writer>(
  files: Map<string, Writer>,
  name: string,
  writer: Writer,
): Writer | undefined {
  const key = fileKey(name)
  const folders = key.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))
  const others = [key, `${key}/`, ...folders].map((one) => files.get(one))
  for (const one of [key, ...folders.slice(1).map((folder) => `${folder}/`)])
    if (!files.has(one)) files.set(one, writer)
  return others.find((other) => other !== undefined)
}

/** Why a file cannot be written: another call writes it. `holder`: the path of that call. */
export function fileTakenText(holder: string): string {
  const isSameStep = holder.includes('[')
  const hint = isSameStep
    ? 'give each item a file of its own, such as save-as: "report-${{ index }}.json"'
    : 'give each step a file of its own'
  return `is the file of ${holder}; ${hint}`
}

/** Whether a file has the name of a partial file. */
export function isPartialName(name: string): boolean {
  return /\.[0-9a-f]{8}\.partial$/.test(name)
}
