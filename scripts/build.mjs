// Bundles the doors of the library and the command: a start would spend a third of its time on finding and reading
// hundreds of small modules one by one. What doors share, and what they load lazily, lies in `dist/chunks`.
// Dependencies stay what they are, packages of their own.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { minifySync } from 'rolldown/utils'
import { tsImport } from 'tsx/esm/api'
import { buildPages } from './build-pages.mjs'

const clientDoor = fileURLToPath(new URL('../src/api/index.ts', import.meta.url))
/** The modules that the client consists of. */
const ofClient = new Set()

const { compiledSchemas, moduleOf } = await tsImport('./compile-schemas.ts', import.meta.url)
const isModule = (id, { module }) => id.endsWith(`/src/${module}`)
const bundle = await rolldown({
  input: {
    index: './src/index.ts',
    'api/index': './src/api/index.ts',
    'sandbox/index': './src/sandbox/index.ts',
    'testing/index': './src/testing/index.ts',
    'chunks/temporal': './src/engine/temporal/index.ts',
    'chunks/missing-packages': './src/engine/missing-packages.ts',
    'cli/main': './src/cli/main.ts',
  },
  external: /^[^./]/,
  platform: 'node',
  plugins: [
    {
      name: 'compiled-schemas',
      load(id) {
        const schemas = compiledSchemas.find((one) => isModule(id, one))
        return schemas && moduleOf(schemas)
      },
      // Generated code that needs no reader. Without `minify` it would be a fifth of the package.
      renderChunk: (code, { name, fileName }) =>
        compiledSchemas.some((one) => one.name === name)
          ? minifySync(fileName, code, { module: true }).code
          : undefined,
    },
  ],
  transform: { target: 'es2023' },
  // Nothing is left out: a call whose result nobody uses may be made to see whether it throws.
  treeshake: false,
})
const { output } = await bundle.write({
  dir: 'dist',
  minify: false,
  entryFileNames: '[name].js',
  // Without a hash: a build replaces the last one file by file.
  chunkFileNames: 'chunks/[name].js',
  codeSplitting: {
    groups: [
      // Everything uses the core, and it uses nothing else: in one piece it is quicker than in dozens. What the client
      // uses of it is one of its own, so that a program which only calls loads no expressions.
      {
        debugName: 'core',
        test: /\/src\/core\//,
        name(id, graph) {
          reach(clientDoor, graph)
          return ofClient.has(id) ? 'calls' : 'core'
        },
      },
      ...compiledSchemas.map((one) => ({ name: one.name, test: (id) => isModule(id, one) })),
    ],
  },
})
await bundle.close()

await buildPages()

// Whoever imports this door without the packages of Temporal's SDK is told which, and how to install them.
const { exports: names } = output.find(({ fileName }) => fileName === 'chunks/temporal.js')
mkdirSync('dist/temporal', { recursive: true })
writeFileSync(
  'dist/temporal/index.js',
  `import { explainMissingPackages } from '../chunks/missing-packages.js'
const engine = await import('../chunks/temporal.js').catch((error) => {
  throw explainMissingPackages(error)
})
export const { ${names.join(', ')} } = engine
`,
)

// A link to it in a folder of the PATH is a command.
chmodSync('dist/cli/main.js', 0o755)

// The code that workers replay: an installed package has nothing left to bundle.
const { bundleWorkflows } = await tsImport('./bundle-workflows.ts', import.meta.url)
const { code } = await bundleWorkflows({
  log() {},
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error: console.error,
})
writeFileSync('dist/workflows.js', code)

function reach(id, graph) {
  if (ofClient.has(id)) return
  const info = graph.getModuleInfo(id)
  if (info === null) throw new Error(`${id} is no module of the bundle`)
  ofClient.add(id)
  for (const one of info.importedIds) reach(one, graph)
}
