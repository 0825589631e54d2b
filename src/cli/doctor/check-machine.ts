import { statfs } from 'node:fs/promises'
import { basename } from 'node:path'
import { commandRulesText, resolveSecret, rulesText } from '../../actions/index.ts'
import { inspectLimits, openDatabase } from '../../engine/embedded/index.ts'
import { CommandError } from '../shared/command-error.ts'
import { chooseDataDir, prepareDataDir } from '../shared/configuration/data-dir.ts'
import { readHttpRules } from '../shared/configuration/http-rules.ts'
import { type Configuration, readLeniently } from '../shared/configuration/read-configuration.ts'
import { createSecretStore } from '../shared/configuration/secret-store.ts'
import type { Io } from '../shared/io.ts'
import { countText, sizeText } from '../shared/terminal/quantity-text.ts'
import { uncheckedCertificates } from '../shared/unchecked-certificates.ts'
import { type Check, failedCheck } from './check.ts'
import type { Needs } from './read-needs.ts'

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > 20 || (major === 20 && minor >= 19)
  const message = `${version} on ${process.platform} ${process.arch}`
  return isEnough
    ? { name: 'node', status: 'ok', message }
    : { name: 'node', status: 'fail', message, hints: ['Opsbook needs Node 20.19 or newer'] }
}

/** Reads and checks the configuration; undefined if it cannot be read. */
export async function checkConfiguration(
  io: Io,
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
    return { check: { name, status: 'ok', message }, configuration }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { check: failedCheck(name, error), configuration: undefined }
  }
}

/** Fails where certificates are not checked. Usually there is nothing to say. */
export function checkCertificates(io: Pick<Io, 'env'>): readonly Check[] {
  const message = uncheckedCertificates(io)
  return message === undefined ? [] : [{ name: 'certificates', status: 'fail', message }]
}

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const

/** Checks the proxy variables. Credentials in them are not shown. */
export function checkProxies(env: Io['env']): Check {
  const name = 'proxies'
  const set = proxyVariables.flatMap((variable) => {
    const value = env[variable.toLowerCase()] || env[variable]
    return value ? [{ variable, value }] : []
  })
  if (set.length === 0) return { name, status: 'ok', message: 'none; connections are direct' }
  const wrong = set.filter(({ variable, value }) => variable !== 'NO_PROXY' && !isUrl(value))
  const message = set.map(({ variable, value }) => `${variable}=${shown(variable, value)}`).join(', ')
  return wrong.length === 0
    ? { name, status: 'ok', message }
    : {
        name,
        status: 'fail',
        message,
        hints: [
          `${wrong.map(({ variable }) => variable).join(', ')}: write a whole URL, such as http://proxy:3128`,
        ],
      }
}

/** `proxy:3128` and `user:password@proxy` would be parsed as URLs with an unknown protocol. */
function isUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}

/** A value that is not a URL is not shown, since any part of it may be a password. */
function shown(variable: string, value: string): string {
  if (variable !== 'NO_PROXY' && !isUrl(value)) return '(not a URL, so not shown)'
  return value.replace(/^(.*?\/\/)?.*@/s, '$1***@')
}

/** Checks where `core/http` may send requests. */
export function checkHttp(configuration: Configuration): Check {
  const name = 'http'
  try {
    const message = `core/http reaches ${rulesText(readHttpRules(configuration))}`
    return { name, status: 'ok', message }
  } catch (error) {
    return failedCheck(name, error)
  }
}

/** Where `core/command` may run commands, if anywhere. */
export function checkCommands({ document: { commands } }: Configuration): readonly Check[] {
  if (commands === undefined) return []
  return [
    {
      name: 'commands',
      status: 'ok',
      message: `core/command runs commands on ${commandRulesText(commands)}`,
    },
  ]
}

/** Checks that each configured secret has a value; a missing one that no runbook here uses is a warning. */
export async function checkSecrets(
  configuration: Configuration,
  { secrets, plans }: Pick<Needs, 'secrets' | 'plans'>,
  io: Io,
): Promise<readonly Check[]> {
  const names = Object.keys(configuration.document.secrets ?? {})
  if (names.length === 0) return []
  const store = createSecretStore(configuration, io)
  const missing: Check[] = []
  for (const name of names) {
    await resolveSecret(name, store).catch((error: unknown) =>
      missing.push(asNeeded(failedCheck('secrets', error), plans.length === 0 || secrets.has(name))),
    )
  }
  if (missing.length > 0) return missing
  return [{ name: 'secrets', status: 'ok', message: `${names.length} configured, all have a value` }]
}

function asNeeded(failed: Check, isNeeded: boolean): Check {
  if (isNeeded) return failed
  return { ...failed, status: 'warn', message: `${failed.message}; no runbook here needs it` }
}

const fewBytes = 1024 ** 3
const tooFewBytes = 50 * 1024 ** 2

/** Checks the data directory: that it is writable and has space, and that the database and shared limits open. */
export async function checkDataDir(
  flag: string | undefined,
  configuration: Configuration,
  io: Io,
): Promise<readonly Check[]> {
  const folder = chooseDataDir(flag, configuration, io)
  try {
    await prepareDataDir(folder)
  } catch (error) {
    return [failedCheck('data directory', error)]
  }
  return [await checkSpace(folder), checkDatabase(folder), ...checkLimits(folder)]
}

async function checkSpace(folder: string): Promise<Check> {
  const name = 'data directory'
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const message = `${folder}, ${sizeText(free)} free`
  if (free >= fewBytes) return { name, status: 'ok', message }
  const status = free < tooFewBytes ? 'fail' : 'warn'
  return { name, status, message, hints: ['free disk space, or name another folder with --data-dir'] }
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
      return { name, status: 'ok', message: `SQLite ${row?.['version']}, ${runs} recorded` }
    } finally {
      database.close()
    }
  } catch (error) {
    return failedCheck(name, error)
  }
}

/** Checks the shared limits: without them a run ends before its first call. */
function checkLimits(folder: string): readonly Check[] {
  const name = 'rate limits'
  try {
    const file = inspectLimits(folder)
    return file === undefined ? [] : [{ name, status: 'ok', message: `counted in ${basename(file)}` }]
  } catch (error) {
    return [failedCheck(name, error)]
  }
}
