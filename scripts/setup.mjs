// Makes a fresh clone ready: installs what the lock file names and builds, each only when it is due.
//
//     node scripts/setup.mjs --check    changes nothing; fails where the build is missing or older than its sources
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Opsbook needs Node 20.19 or newer; this is ${process.versions.node}.`)
  process.exit(5)
}

const built = 'dist/.built'
const isBuilt = () => existsSync(built) && newest('src') <= statSync(built).mtimeMs

if (process.argv[2] === '--check') {
  if (isBuilt()) process.exit(0)
  console.error('The build in dist is missing, or older than src. Make it with "npm run build".')
  process.exit(1)
}

const installed = 'node_modules/.opsbook-lock'
const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex')
if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lock) {
  // It refuses a lock file that lacks a package, also one that only another platform needs.
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(installed, lock)
}
if (!isBuilt()) run('npm', ['run', '--silent', 'build'])

function run(command, args) {
  console.error(`> ${command} ${args.join(' ')}`)
  const { status } = spawnSync(command, args, { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}

function newest(folder) {
  let latest = 0
  for (const entry of readdirSync(folder, { recursive: true })) {
    latest = Math.max(latest, statSync(join(folder, entry)).mtimeMs)
  }
  return latest
}
