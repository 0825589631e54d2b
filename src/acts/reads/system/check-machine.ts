import { statfs } from 'node:fs/promises'
import { resolveSecret } from '../../../actions/index.ts'
import type { Check } from '../../../documents/index.ts'
import { openDatabase } from '../../../engine/embedded/index.ts'
import { type Configuration, prepareDataDir, readLeniently } from '../../../project/configuration/index.ts'
import { createSecretStore } from '../../../project/connections/index.ts'
import type { Surroundings } from '../../../project/index.ts'
import { CommandError, uncheckedCertificates } from '../../../project/index.ts'
import { countText, sizeText } from '../../../view/text/index.ts'
import { check, failedCheck, passed, unlessUnneeded } from './check.ts'
import type { Needs } from './read-needs.ts'

/** Reads and checks the configuration; undefined if it cannot be read. */
export async function checkConfigurationFile(
  io: Surroundings,
): Promise<{ readonly check: Check; readonly configuration: Configuration | undefined }> {
  const name = 'configuration'
  try {
    const configuration = await readLeniently(io)
    const { file, document, invalid } = configuration
    if (invalid) return { check: failedCheck(name, invalid.problem), configuration }
    const names = Object.keys(document.connections ?? {})
    const message =
      file === undefined
        ? 'no opsbook.yaml here or above; environment variables only'
        : `${file}, connections: ${names.length === 0 ? 'none' : names.join(', ')}`
    return { check: passed(name, message), configuration }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { check: failedCheck(name, error), configuration: undefined }
  }
}

/** Fails where certificates are not checked. Usually there is nothing to say. */
export function checkCertificates(io: Pick<Surroundings, 'env'>): readonly Check[] {
  const message = uncheckedCertificates(io)
  return message === undefined ? [] : [check('certificates', 'fail', message)]
}

/** Checks that each configured secret has a value; a missing one that no runbook here uses is a warning. */
export async function checkSecrets(
  configuration: Configuration,
  needs: Pick<Needs, 'secret'>,
  io: Surroundings,
): Promise<readonly Check[]> {
  const names = Object.keys(configuration.document.secrets ?? {})
  if (names.length === 0) return []
  const store = createSecretStore(configuration, io)
  const missing: Check[] = []
  for (const name of names)
    await resolveSecret(name, store).catch((error: unknown) =>
      missing.push(unlessUnneeded(failedCheck('secrets', error), needs.secret(name))),
    )
  if (missing.length > 0) return missing
  return [passed('secrets', `${names.length} configured, all have a value`)]
}

const fewBytes = 1024 ** 3
const tooFewBytes = 50 * 1024 ** 2

/** Checks the data directory: that it is writable and has space, and that its database can be written. */
export async function checkDataDir(folder: string): Promise<readonly Check[]> {
  try {
    await prepareDataDir(folder)
  } catch (error) {
    return [failedCheck('data directory', error)]
  }
  return [await checkSpace(folder), checkDatabase(folder)]
}

async function checkSpace(folder: string): Promise<Check> {
  const name = 'data directory'
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const message = `${folder}, ${sizeText(free)} free`
  if (free >= fewBytes) return passed(name, message)
  const status = free < tooFewBytes ? 'fail' : 'warn'
  return check(name, status, message, 'free disk space, or name another folder with --data-dir')
}

function checkDatabase(folder: string): Check {
  const name = 'database'
  try {
    const database = openDatabase(folder)
    try {
      // BEGIN alone is not enough: SQLite opens a file that is not writable for reading.
      database.exec('BEGIN IMMEDIATE; CREATE TABLE probe (x)')
      const row = database.prepare('SELECT count(*) AS runs, sqlite_version() AS version FROM runs').get()
      database.exec('ROLLBACK')
      const runs = countText(Number(row?.['runs']), 'run')
      return passed(name, `SQLite ${row?.['version']}, ${runs} recorded`)
    } finally {
      database.close()
    }
  } catch (error) {
    return failedCheck(name, error)
  }
}
