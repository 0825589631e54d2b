import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RunbookError } from '../core/run-error.ts'
import { libraryFolder } from './library-folder.ts'

/**
 * An import that fails because the packages of Temporal's SDK are not installed becomes an error that names the
 * command to install them. Any other error is returned as it is.
 */
export function explainMissingPackages(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' && /package '@temporalio\//.test(error.message)
  if (!isMissing) return error
  return new RunbookError('TemporalNotInstalled', "the packages of Temporal's SDK are not installed", {
    next: `Install them where Opsbook is installed: "npm install ${packages().join(' ')}", with --global if Opsbook is.`,
    cause: error,
  })
}

/** As the package names them: versions that it has not been tried with are not proposed. */
function packages(): readonly string[] {
  const { peerDependencies } = JSON.parse(readFileSync(join(libraryFolder(), 'package.json'), 'utf8')) as {
    peerDependencies: Readonly<Record<string, string>>
  }
  return Object.entries(peerDependencies).map(([name, range]) => `${name}@${range}`)
}
