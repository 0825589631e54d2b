/** Redocly Respect, the peer of two benches. npm puts it into a temporary folder, so that it is no dependency of ours. */
import { execFile, execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** One version, so that ratios of different days can be compared. */
const respect = '@redocly/cli@1.34.20'

/** Puts Respect into a folder, with workflows and the API that they call. */
export async function installRespect(folder: string, api: string, arazzo: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  await writeFile(join(folder, 'api.yaml'), api)
  await writeFile(join(folder, 'steps.arazzo.yaml'), arazzo)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', respect], { cwd: folder })
}

/** Runs the workflows of a folder. In milliseconds, by Respect's own report: how long it takes to start is left out. */
export async function runRespect(folder: string): Promise<number> {
  const args = [join(folder, 'node_modules/@redocly/cli/bin/cli.js'), 'respect', 'steps.arazzo.yaml']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  const [, milliseconds] = /Time: (\d+)ms/.exec(stdout + stderr) ?? []
  return Number(milliseconds)
}
