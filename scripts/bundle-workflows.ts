// Bundles the workflows. The build does it once for the package. Processes that run from the sources share a bundle for
// each state of the sources.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BundleOptions, bundleWorkflowCode } from '@temporalio/worker'

const sources = fileURLToPath(new URL('../src', import.meta.url))
const lockFile = join(sources, '../package-lock.json')
const folder = join(sources, '../node_modules/.cache/opsbook')

/**
 * The code of the workflows for the sources as they are: from the file of an earlier process, or from `bundle`, which
 * takes seconds.
 */
export async function keptBundle(
  bundle: () => Promise<{ readonly code: string }> = bundleWorkflows,
): Promise<{ code: string }> {
  let file: string | undefined
  try {
    file = join(folder, `workflows-${hashOfSources()}.js`)
    return { code: readFileSync(file, 'utf8') }
  } catch {
    const { code } = await bundle()
    if (file !== undefined) keep(file, code)
    return { code }
  }
}

/** Where the file cannot be written, or another process removes it unfinished, the next one bundles again. */
function keep(file: string, code: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    const unfinished = `${file}.${process.pid}`
    writeFileSync(unfinished, code)
    renameSync(unfinished, file)
    for (const other of readdirSync(folder))
      if (other.startsWith('workflows-') && join(folder, other) !== file) rmSync(join(folder, other))
  } catch {
    // This process has its code.
  }
}

/** Of all sources, and of the versions of the packages that they import. */
function hashOfSources(): string {
  const hash = createHash('sha256')
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  for (const path of [...names.toSorted().map((name) => join(sources, name)), lockFile])
    hash.update(`${path}\n`).update(readFileSync(path))
  return hash.digest('hex').slice(0, 32)
}

/**
 * Bundles the code of the workflows from the sources, in one file as the SDK requires. A worker keeps its text and its
 * source map in memory for as long as it runs.
 */
export async function bundleWorkflows(
  logger: NonNullable<BundleOptions['logger']> = quiet,
): Promise<{ readonly code: string }> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: pathOf('index'),
    preloadModules: [pathOf('preload')],
    workflowInterceptorModules: [pathOf('interceptors')],
    payloadConverterPath: pathOf('payload-converter'),
    logger,
    webpackConfigHook: configure,
  })
  return { code: inAscii(code) }
}

const configure: NonNullable<BundleOptions['webpackConfigHook']> = (config) => {
  // A stack trace needs lines of the sources, and not their text.
  config.devtool = 'inline-nosources-cheap-module-source-map'
  // The SDK compiles for ES2017. Each spread is then a loop over descriptors, and a run makes several for each call.
  for (const rule of config.module?.rules ?? []) {
    const jsc = (rule as LoaderRule).use?.options?.jsc
    if (jsc) jsc.target = 'es2022'
  }
  return config
}

/** One character outside of Latin-1 would double the memory of the whole text. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

interface LoaderRule {
  readonly use?: { readonly options?: { readonly jsc?: { target: string } } }
}

function pathOf(module: string): string {
  return join(sources, `engine/temporal/workflow/${module}.ts`)
}

const quiet = {
  log() {},
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
}
