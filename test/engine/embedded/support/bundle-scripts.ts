import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const own = {
  opsbook: join(root, 'src/index.ts'),
  'opsbook/api': join(root, 'src/api/index.ts'),
}

/**
 * Bundles scripts, and returns the file of each. A process that compiles some hundred modules one by one
 * takes ten times as long to start.
 */
export async function bundleScripts<Name extends string>(
  scripts: Readonly<Record<Name, URL>>,
): Promise<Readonly<Record<Name, string>>> {
  // Beside the packages that the scripts import.
  const folder = join(root, 'node_modules/.cache/opsbook-tests', String(process.pid))
  mkdirSync(folder, { recursive: true })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const names = Object.keys(scripts) as Name[]
  const bundle = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, fileURLToPath(scripts[name])])),
    external: (id) => /^[^./]/.test(id) && !(id in own),
    resolve: { alias: own },
    platform: 'node',
    treeshake: false,
    transform: { target: 'es2023' },
  })
  await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await bundle.close()
  return Object.fromEntries(names.map((name) => [name, join(folder, `${name}.mjs`)])) as Record<Name, string>
}
