// Runs the programs in bench/ one after another, all or those that are named. Their ratios go to stdout, each with the
// name of its program; everything else they say goes to stderr.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../bench/', import.meta.url))
const programs = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort()

const named = process.argv.slice(2).map((name) => name.replace(/^bench\/|\.ts$/g, ''))
const unknown = named.filter((name) => !programs.includes(name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are ${programs.join(', ')}.`)
  process.exit(2)
}

// The cold start is measured on the build.
await import('./setup.mjs')

for (const name of named.length > 0 ? named : programs) {
  const status = await run(name)
  if (status !== 0) {
    console.error(`bench/${name}.ts ended with ${status}`)
    process.exitCode = 1
  }
}

async function run(name) {
  console.error(`> bench/${name}.ts`)
  const args = ['--import', 'tsx', `${folder}${name}.ts`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const over = once(child, 'close')
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('ratio')) console.log(`${name}  ${line}`)
    else console.error(line)
  }
  const [status, signal] = await over
  return status ?? signal
}
