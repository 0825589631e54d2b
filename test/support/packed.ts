/** The package as npm packs it, and programs as somebody runs them who has just installed it. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../../', import.meta.url))

/** Flags of `npm install`. */
export const quiet: readonly string[] = ['--prefer-offline', '--no-audit', '--no-fund', '--silent']

/** How a program ended. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The environment without what npm tells the scripts that it runs, the tests among them: it is not for others. */
export function foreignEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV)/.test(name))
  return Object.fromEntries(own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** Runs a program in a folder, and waits for its end. */
export function runAlone(program: string, words: readonly string[], cwd: string): Ended {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd,
    env: foreignEnvironment(),
    encoding: 'utf8',
    timeout: 240_000,
  })
  if (error) throw error
  return { code: status, stdout, stderr }
}

/** The same, and answers with what it has written. Throws where it fails. */
export function mustRun(program: string, words: readonly string[], cwd: string): string {
  const { code, stdout, stderr } = runAlone(program, words, cwd)
  if (code !== 0) throw new Error(`${program} ${words.join(' ')}: ${code}\n${stdout}\n${stderr}`)
  return stdout
}

/** Runs npm, which builds and asks a registry, and once more where that fails: a hook that fails is not tried again. */
export function mustRunNpm(words: readonly string[], cwd: string): string {
  try {
    return mustRun('npm', words, cwd)
  } catch {
    return mustRun('npm', words, cwd)
  }
}

/**
 * Packs a copy into a folder, and answers with the tarball. Packing builds anew, and the build of this checkout may be
 * in use.
 */
export function packOpsbook(folder: string): string {
  const copy = join(folder, 'copy')
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
  const packed = files.filter((name) => !/^(!|dist)/.test(name))
  mkdirSync(copy)
  for (const name of [
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts',
    'src',
    'README.md',
    'LICENSE',
    ...packed,
  ]) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  mustRunNpm(['pack', '--silent', '--pack-destination', folder], copy)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return join(folder, `opsbook-${version}.tgz`)
}
