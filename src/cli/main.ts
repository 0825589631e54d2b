#!/usr/bin/env node
/**
 * The `opsbook` command. Modules are loaded when they are needed: the version is printed without the argument parser, and
 * each command loads its own modules.
 */
import { readFileSync } from 'node:fs'
import * as module from 'node:module'
import { processIo } from './shared/io.ts'

// Deprecations of Node concern the authors of libraries: that of gRPC, at each TLS server with an IP address, has no remedy.
process.noDeprecation = true
const words = process.argv.slice(2)
const io = processIo()
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  io.stdout.write(`${readVersion()}\n`)
} else {
  // Node 22 caches compiled modules; Node 20 has no such function.
  ;(module as { enableCompileCache?: () => unknown }).enableCompileCache?.()
  const { main } = await import('./program.ts')
  process.exitCode = await main(words, io, readVersion())
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return version
}
