import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GuardedProgram, spawnGuarded } from '../../src/cli/dev/server/spawn-guarded.ts'
import type { Stage } from './stage.ts'

/** Who PostgreSQL runs as where this process is root. */
const user = 'postgres'
const isRoot = process.getuid?.() === 0

/** Makes an empty database, with the user and the password of the file. */
export function initializeDatabase(stage: Stage): void {
  const { POSTGRES_USER = '', POSTGRES_PASSWORD = '' } = stage.environment('postgresql')
  const data = dataFolder(stage)
  const password = join(stage.folder, 'password')
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(password, POSTGRES_PASSWORD, { mode: 0o600 })
  if (isRoot) for (const path of [data, password]) chownSync(path, idOf('-u'), idOf('-g'))
  const [program, words] = asUser(join(stage.programs.postgresql, 'initdb'), [
    ...['--pgdata', data, '--username', POSTGRES_USER, '--pwfile', password],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C'],
  ])
  execFileSync(program, words, { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Starts the database with the words of the file. */
export async function startDatabase(stage: Stage): Promise<GuardedProgram> {
  const [, ...words] = stage.service('postgresql').command ?? []
  const data = dataFolder(stage)
  const place = ['-D', data, '-p', String(stage.ports.postgresql), '-k', data, '-h', '127.0.0.1']
  const [program, all] = asUser(join(stage.programs.postgresql, 'postgres'), [...place, ...words])
  return await spawnGuarded(program, all)
}

/** Stops it as the image is stopped: connections are cut, and everything is on disk. */
export async function stopDatabase(database: GuardedProgram): Promise<void> {
  process.kill(database.processId, 'SIGINT')
  await database.ended
}

function dataFolder(stage: Stage): string {
  return join(stage.folder, 'data')
}

function asUser(program: string, words: readonly string[]): readonly [string, readonly string[]] {
  if (!isRoot) return [program, words]
  return ['setpriv', [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', program, ...words]]
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, user], { encoding: 'utf8' }))
}
