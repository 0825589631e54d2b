/**
 * Makes sure that tests can start a Temporal server: one runs, or a program is found, downloaded or built. Otherwise
 * ends with 1 and prints a line for each source that was tried.
 */
import { RunbookError } from '../src/core/run-error.ts'
import { findServer } from '../test/support/temporal-server.ts'

try {
  await findServer({ tell: (line) => void process.stderr.write(`${line}\n`) })
} catch (error) {
  if (!RunbookError.is(error)) throw error
  const { tried } = error.details as { readonly tried: readonly string[] }
  // One line each: a source may report several.
  for (const source of tried) process.stdout.write(`${source.replaceAll('\n', ' ')}\n`)
  process.exitCode = 1
}
