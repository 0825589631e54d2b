import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BundleOptions, bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker'
import { keepBundle } from './kept-bundle.ts'

let found: Promise<WorkflowBundleOption> | undefined

/** The code of the workflows, as workers replay it: from the build, or bundled from the sources. */
export function workflowBundle(): Promise<WorkflowBundleOption> {
  found ??= find()
  return found
}

async function find(): Promise<WorkflowBundleOption> {
  const built = fileURLToPath(new URL('../workflows.js', import.meta.url))
  if (existsSync(built)) return { codePath: built }
  return keepBundle(() => bundleWorkflows(quiet))
}

/**
 * Bundles the code of the workflows from the sources, in one file as the SDK requires. A worker keeps its text and its
 * source map in memory for as long as it runs.
 *
 * @public for scripts/build.mjs
 */
export async function bundleWorkflows(
  logger: NonNullable<BundleOptions['logger']>,
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
  return fileURLToPath(new URL(`../workflow/${module}.ts`, import.meta.url))
}

const quiet = {
  log() {},
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
}
