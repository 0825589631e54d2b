#!/usr/bin/env node
/**
 * The `opsbook` command. Nothing is imported before it is needed: the version is answered without the argument
 * parser, and each command brings its own modules.
 */
import { readFileSync } from 'node:fs'
import * as module from 'node:module'

const words = process.argv.slice(2)
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${readVersion()}\n`)
} else {
  // Newer versions of Node keep what they have compiled; older ones have no such function.
  ;(module as { enableCompileCache?: () => unknown }).enableCompileCache?.()
  const [{ main }, { processIo }] = await Promise.all([import('./program.ts'), import('./io.ts')])
  process.exitCode = await main(words, processIo(), readVersion())
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return version
}
