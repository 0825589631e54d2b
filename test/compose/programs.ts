import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { findServer } from '../support/temporal-server.ts'
import { say } from './say.ts'

/** The programs that are in the images, and what else the images hold. */
export interface Programs {
  /** A folder with `temporal-server`, `temporal-sql-tool` and `temporal` under these names. */
  readonly folder: string
  /** The source of the server: its schemas and the template of its configuration. */
  readonly source: string
  /** The folder with the programs of PostgreSQL. */
  readonly postgresql: string
}

/** Gets the programs of this version of the server. What is built is kept for the next time. */
export async function getPrograms(version: string, folder: string): Promise<Programs> {
  const kept = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'opsbook', 'compose', version)
  const modules = ['server', 'tools/sql'].map((name) => `go.temporal.io/server/cmd/${name}@v${version}`)
  if (!existsSync(join(kept, 'server')) || !existsSync(join(kept, 'sql'))) {
    say(`builds the server ${version} and its SQL tool with Go: some minutes, this once`)
    execFileSync('go', ['install', ...modules], { env: { ...process.env, GOBIN: kept }, stdio: 'inherit' })
  }
  const download = ['mod', 'download', '-json', `go.temporal.io/server@v${version}`]
  const { Dir: source } = JSON.parse(execFileSync('go', download, { encoding: 'utf8', cwd: folder }))
  const tool = await findServer({ environment: { ...process.env, TEMPORAL_ADDRESS: '' }, tell: say })
  if (tool.kind !== 'program') throw new Error('the command line tool of Temporal cannot be had')
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  symlinkSync(join(kept, 'server'), join(programs, 'temporal-server'))
  symlinkSync(join(kept, 'sql'), join(programs, 'temporal-sql-tool'))
  symlinkSync(tool.path, join(programs, 'temporal'))
  return { folder: programs, source, postgresql: findPostgresql() }
}

/** Debian keeps the programs of each version in a folder of their own, off the PATH. */
function findPostgresql(): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((one) => join(debian, one, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ]
  const found = folders.find((one) => existsSync(join(one, 'initdb')))
  if (found === undefined)
    throw new Error('PostgreSQL is not installed; on Debian: apt-get install postgresql')
  return found
}
