import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type GuardedProgram, spawnGuarded } from '../../src/cli/dev/server/spawn-guarded.ts'
import { findLowPort } from './find-low-port.ts'
import type { Stage } from './stage.ts'

/** Ports that a container has to itself. */
const innerPorts = [
  'FRONTEND_HTTP_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
]

/** Makes the configuration of the server as the image does, from its template and the environment. */
export async function configureServer(stage: Stage): Promise<void> {
  const ports: Record<string, string> = { FRONTEND_GRPC_PORT: String(stage.ports.temporal) }
  for (const name of innerPorts) ports[name] = String(await findLowPort())
  // The image takes the address of its container; there is none here.
  const env = {
    ...process.env,
    ...stage.environment('temporal'),
    ...ports,
    TEMPORAL_BROADCAST_ADDRESS: '127.0.0.1',
  }
  const words = ['run', 'render-config.go', join(stage.programs.source, 'docker/config_template.yaml')]
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  const goPath = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
  const config = execFileSync('go', words, { cwd, encoding: 'utf8', env: { ...env, ...goPath } })
  mkdirSync(join(stage.folder, 'config'), { recursive: true })
  writeFileSync(join(stage.folder, 'config', 'docker.yaml'), config)
}

/** Starts the server with that configuration, with the words of the image. */
export async function startServer(stage: Stage): Promise<GuardedProgram> {
  const words = ['--root', stage.folder, '--env', 'docker', 'start']
  return await spawnGuarded(
    join(stage.programs.folder, 'temporal-server'),
    words,
    stage.environment('temporal'),
  )
}
