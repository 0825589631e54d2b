// Leaves of what is installed what the command needs in an image: its dependencies, and the packages of Temporal's SDK,
// which a checkout has for its tests and others install by themselves. It changes package.json, so only in a copy.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const { peerDependencies, peerDependenciesMeta, devDependencies, dependencies, ...about } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
writeFileSync(
  'package.json',
  JSON.stringify({ ...about, dependencies: { ...dependencies, ...peerDependencies } }),
)
const words = ['prune', '--omit=dev', '--no-save', '--no-audit', '--no-fund']
process.exitCode = spawnSync('npm', words, { stdio: 'inherit' }).status ?? 1
