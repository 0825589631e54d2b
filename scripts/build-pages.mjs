// Bundles the pages of the console for browsers. Names are hashed, so that a browser keeps a file for ever;
// `manifest.json` gives the name of each file.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rolldown } from 'rolldown'

const styles = 'src/console/pages/styles'

/** Writes the files of the pages into a folder, in the place of those of the last build. */
export async function buildPages(folder = 'dist/console') {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) if (/^console-/.test(name)) rmSync(`${folder}/${name}`)
  const files = { 'console.js': await script(), 'console.css': sheet() }
  const manifest = {}
  for (const [name, text] of Object.entries(files)) {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
    manifest[name] = name.replace('.', `-${hash}.`)
    writeFileSync(`${folder}/${manifest[name]}`, text)
  }
  writeFileSync(`${folder}/manifest.json`, `${JSON.stringify(manifest, null, 2)}\n`)
}

async function script() {
  const bundle = await rolldown({
    input: './src/console/pages/browser.tsx',
    platform: 'browser',
    // Of a module of the core, only what a page uses.
    treeshake: { moduleSideEffects: false },
    transform: {
      target: 'es2022',
      define: { 'process.env.NODE_ENV': '"production"' },
    },
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false })
  await bundle.close()
  return output[0].code
}

/** The style sheets in the order of their names, without comments and indentation. */
function sheet() {
  const texts = readdirSync(styles)
    .sort()
    .map((name) => readFileSync(`${styles}/${name}`, 'utf8'))
  return texts
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s+/gm, '')
}
