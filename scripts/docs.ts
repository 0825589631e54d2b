/** Writes the generated parts of the documentation: `npm run docs`. Tests say when they are stale. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fillPage } from './docs/fill-page.ts'
import { pages } from './docs/pages.ts'

for (const page of pages) {
  const file = new URL(`../${page.file}`, import.meta.url)
  const before = readFileSync(file, 'utf8')
  const after = fillPage(before, page.parts)
  if (after !== before) writeFileSync(file, after)
  console.log(`${after === before ? 'up to date' : 'written   '}  ${page.file}`)
}
const graphs = ['--import', 'tsx', 'src/cli/main.ts', 'graph', '--write', 'docs/runbooks.md']
const { status } = spawnSync(process.execPath, graphs, {
  stdio: 'inherit',
  cwd: new URL('..', import.meta.url),
})
process.exitCode = status ?? 1
