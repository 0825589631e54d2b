import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Artifacts } from '../../actions/action.ts'
import { RunbookError } from '../../core/run-error.ts'

const maxNameLength = 200
/** Names that Windows gives a meaning of their own, whatever the ending. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i

/** Artifacts in a folder of their own. */
export function createArtifacts(folder: string): Artifacts {
  return {
    folder,
    async fileFor(name) {
      const problem = nameProblem(name)
      if (problem)
        throw new RunbookError('InvalidInput', `save-as "${name}" ${problem}; nothing was sent`, {
          notSent: true,
        })
      const file = join(folder, name)
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      } catch (cause) {
        const message = `cannot make the folder ${dirname(file)}: ${(cause as Error).message}`
        throw new RunbookError('FileNotWritten', message, { cause, notSent: true })
      }
      return file
    },
  }
}

function nameProblem(name: string): string | undefined {
  const parts = name.split(/[\\/]/)
  if (name.length > maxNameLength) return `is longer than ${maxNameLength} characters`
  if (/^[\\/]|^[a-z]:/i.test(name)) return 'is absolute; it must be relative to the artifacts of the run'
  if (parts.some((part) => part === '..' || part === '.' || part === ''))
    return 'leaves the folder of the run, or has an empty part'
  if (/[\p{Cc}<>:"|?*]/u.test(name)) return 'has characters that file systems refuse'
  if (parts.some((part) => deviceName.test(part) || /[. ]$/.test(part)))
    return 'is a name that file systems refuse'
  return undefined
}
