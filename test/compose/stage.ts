import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ComposeFile, type ComposeService, readCompose, readSettings } from './compose-file.ts'
import { findLowPort } from './find-low-port.ts'
import { getPrograms, type Programs } from './programs.ts'

/** docker-compose.yml, carried out on this machine: services are processes, names of hosts and ports are its own. */
export interface Stage {
  readonly programs: Programs
  /** A folder for all that is written. */
  readonly folder: string
  readonly ports: Readonly<Record<'postgresql' | 'temporal' | 'metrics', number>>
  service(name: string): ComposeService
  /** The environment of a service, with what is elsewhere here than in the containers. */
  environment(name: string): NodeJS.ProcessEnv
  /** A text of the file, an address or a path, as it is here. */
  translate(text: string): string
  /** What is spent is given back. */
  remove(): void
}

/** What .env has to set. */
const secrets = {
  POSTGRES_PASSWORD: 'A-pass.word_~1',
  OPSBOOK_BASE_URL: 'http://127.0.0.1',
  OPSBOOK_APP_KEY: 'none',
}

export async function createStage(): Promise<Stage> {
  const settings: Readonly<Record<string, string>> = { ...readSettings(), ...secrets }
  const compose = readCompose(settings)
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-compose-'))
  // PostgreSQL does not run as root, and has to get to its folder.
  chmodSync(folder, 0o755)
  const programs = await getPrograms(settings['TEMPORAL_VERSION'] ?? '', folder)
  const ports = {
    postgresql: await findLowPort(),
    temporal: await findLowPort(),
    metrics: await findLowPort(),
  }
  const translate = (text: string): string =>
    text
      .replace(/^postgresql$/, '127.0.0.1')
      .replace(/^5432$/, String(ports.postgresql))
      .replace(/\b(temporal|127\.0\.0\.1):7233$/, `127.0.0.1:${ports.temporal}`)
      .replace(/^0\.0\.0\.0:9090$/, `127.0.0.1:${ports.metrics}`)
      .replace('/etc/temporal/schema', join(programs.source, 'schema'))
      .replace(/^\/opsbook(?=\/)/, fileURLToPath(new URL('../../deploy/temporal', import.meta.url)))
  const service = (name: string): ComposeService => {
    const found: ComposeFile['services'][string] | undefined = compose.services[name]
    if (!found) throw new Error(`docker-compose.yml has no service ${name}`)
    return found
  }
  return {
    programs,
    folder,
    ports,
    service,
    translate,
    environment(name) {
      const own = Object.entries(service(name).environment).map(([key, value]) => [
        key,
        translate(String(value)),
      ])
      return { HOME: folder, PATH: `${programs.folder}:/usr/bin:/bin`, ...Object.fromEntries(own) }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** How a job ended. */
export interface JobEnd {
  readonly code: number | null
  readonly output: string
}

/** Carries out a job of the file to its end. */
export function runJob(stage: Stage, name: string, changed: NodeJS.ProcessEnv = {}): JobEnd {
  const [program = '', ...words] = (stage.service(name).entrypoint ?? []).map(stage.translate)
  const env = { ...stage.environment(name), ...changed }
  const { status, stdout, stderr } = spawnSync(program, words, { env, encoding: 'utf8' })
  return { code: status, output: stdout + stderr }
}

/** Whether the health check of a service is content. */
export function isHealthy(stage: Stage, name: string): boolean {
  const [kind, ...words] = stage.service(name).healthcheck?.test ?? []
  const env = stage.environment(name)
  const command = kind === 'CMD-SHELL' ? ['/bin/sh', '-c', ...words] : words.map(stage.translate)
  const pg = { PGPORT: String(stage.ports.postgresql), PATH: `${stage.programs.postgresql}:${env['PATH']}` }
  return spawnSync(command[0] ?? '', command.slice(1), { env: { ...env, ...pg } }).status === 0
}
