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
 * Bundles scripts of this folder, and returns the file of each. A process that compiles some hundred modules one by one
 * takes ten times as long to start.
 */
export async function bundleScripts<Name extends string>(
  names: readonly Name[],
): Promise<Readonly<Record<Name, string>>> {
  // Beside the packages that the scripts import.
  const folder = join(root, 'node_modules/.cache/opsbook-tests', String(process.pid))
  mkdirSync(folder, { recursive: true })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const files = names.map((name) => [name, fileURLToPath(new URL(`./${name}.ts`, import.meta.url))] as const)
  const bundle = await rolldown({
    input: Object.fromEntries(files),
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
