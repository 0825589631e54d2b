import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A Chromium, and what its process needs in its environment. */
export interface Browser {
  readonly program: string
  readonly env: Readonly<Record<string, string>>
}

/** Why there is none, one line for each source. */
export interface Obstacles {
  readonly obstacles: readonly string[]
}

const programs = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
] as const

/**
 * Finds the Chromium of the system, else that of a package of the npm registry. The package needs no root. It is
 * installed into the cache once, at the version that its lock file pins.
 */
export async function findBrowser(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Browser | Obstacles> {
  const given = environment['CHROME_PATH']
  if (given)
    return isProgram(given)
      ? { program: given, env: {} }
      : { obstacles: [`CHROME_PATH is no program: ${given}`] }
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    const found = programs.map((name) => join(folder, name)).find(isProgram)
    if (found !== undefined) return { program: found, env: {} }
  }
  const none = `the system has none: no ${programs.join(', ')} on the PATH`
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { obstacles: [none, 'the package has one for Linux on x64 only'] }
  try {
    return await fromPackage(environment)
  } catch (error) {
    return { obstacles: [none, `the package @sparticuz/chromium: ${(error as Error).message}`] }
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const source = fileURLToPath(new URL('chromium/', import.meta.url))
const version = '143.0.4'

async function fromPackage(environment: NodeJS.ProcessEnv): Promise<Browser> {
  const base = join(
    environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache'),
    'opsbook',
  )
  const folder = join(base, `chromium-${version}`)
  if (!existsSync(folder)) {
    mkdirSync(base, { recursive: true })
    const made = mkdtempSync(join(base, 'chromium-new-'))
    try {
      await unpack(made)
      // Another process may have been quicker.
      if (!existsSync(folder)) renameSync(made, folder)
    } finally {
      rmSync(made, { recursive: true, force: true })
    }
  }
  const libraries = [join(folder, 'al2023/lib'), environment['LD_LIBRARY_PATH'] ?? ''].filter(
    (path) => path !== '',
  )
  return {
    program: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: libraries.join(delimiter), FONTCONFIG_PATH: join(folder, 'fonts') },
  }
}

/** The package unpacks its browser, fonts and libraries into the folder for temporary files, which is this one. */
async function unpack(folder: string): Promise<void> {
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(source, name), join(folder, name))
  await execute('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder)
  const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
  await execute(process.execPath, ['--input-type=module', '--eval', script], folder, {
    TMPDIR: folder,
    // Else it leaves out its libraries, which a system without a browser may lack.
    AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x',
  })
  rmSync(join(folder, 'node_modules'), { recursive: true })
  // Its own file names the place of its fonts on another machine.
  const dirs = `<dir prefix="relative">fonts</dir><dir>/usr/share/fonts</dir>`
  writeFileSync(
    join(folder, 'fonts/fonts.conf'),
    `<?xml version="1.0"?>\n<fontconfig>${dirs}<cachedir prefix="xdg">fontconfig</cachedir></fontconfig>\n`,
  )
}

async function execute(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (data) => {
    said += data
  })
  const [status] = await once(child, 'close')
  if (status !== 0)
    throw new Error(`${program} ended with ${status}: ${said.trim().split('\n').slice(-3).join(' ')}`)
}
