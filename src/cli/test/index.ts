/** `opsbook test`: runbooks under test. */
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type LoadedTestFile, loadTestFile, runTests, type TestFileResults } from '../../testing/index.ts'
import { CommandError } from '../shared/command-error.ts'
import { knownConnections } from '../shared/configuration/connection.ts'
import { readUntrusted } from '../shared/configuration/read-configuration.ts'
import { type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { lookUpActions } from '../shared/load-actions.ts'
import type { WithActionsFlags } from '../shared/options.ts'
import { readBeside, readRunbookText } from '../shared/runbook-files/read-runbook-text.ts'
import { findTestFiles } from './find-test-files.ts'
import { createTestReport, percentOf, type TestFormat } from './reports.ts'
import type { TestedFile } from './tested-file.ts'

/** The flags of `test`, as the parser hands them over. */
export interface TestOptions extends WithActionsFlags {
  readonly output: TestFormat
  readonly only?: string
  readonly strict?: boolean
  readonly coverage?: boolean
  /** In percent. */
  readonly minCoverage?: number
}

/** Runs the tests of the files at the paths. */
export async function test(
  context: CommandContext,
  paths: readonly string[],
  options: TestOptions,
): Promise<ExitCode> {
  const files = await findTestFiles(paths, context.io)
  const { output, strict = false, minCoverage, only } = options
  const load = await createLoader(context, options)
  const coverage = options.coverage === true || minCoverage !== undefined
  const report = createTestReport({ output, coverage, strict }, context)
  const tested: TestedFile[] = []
  for (const file of files) {
    const { tests, diagnostics, texts } = await load(file)
    const results = tests && (await runTests(tests, only === undefined ? {} : { only }))
    const one = {
      file,
      diagnostics,
      texts,
      ...(tests ? { runbook: tests.runbookFile } : {}),
      ...(results ? { results } : {}),
    }
    report.take(one)
    tested.push(one)
  }
  report.end()
  if (tested.some(({ results }) => results === undefined)) return exitCodes.usage
  if (only !== undefined && tested.every(({ results }) => results?.tests.length === 0)) {
    throw new CommandError(exitCodes.usage, `no test has a name that holds "${only}"`)
  }
  const low = lowCoverage(tested, minCoverage ?? 0)
  for (const file of low) tell(context, `${file}: the coverage is below ${minCoverage} %`)
  const isPassed = tested.every(({ results }) => results && hasPassed(results, strict))
  return isPassed && low.length === 0 ? exitCodes.succeeded : exitCodes.failed
}

/** The files with too little coverage. A child runbook counts only if no test file here is its own. */
function lowCoverage(tested: readonly TestedFile[], least: number): readonly string[] {
  const own = new Set(tested.map(({ runbook }) => runbook))
  const low = tested.flatMap(({ file, results }) => [
    ...(results && percentOf(results.coverage) < least ? [file] : []),
    ...(results?.coverage.children ?? [])
      .filter((child) => !own.has(child.file) && percentOf(child) < least)
      .map((child) => child.file),
  ])
  return [...new Set(low)]
}

function hasPassed({ tests, faults, warnings }: TestFileResults, strict: boolean): boolean {
  if (strict && warnings.length > 0) return false
  return tests.every(({ status }) => status === 'passed') && (faults?.failed.length ?? 0) === 0
}

async function createLoader(
  { io }: CommandContext,
  { withActions = false }: TestOptions,
): Promise<(file: string) => Promise<LoadedTestFile>> {
  const { actions, notLoaded, hooks, notifyNames, hasPublicUrl } = await lookUpActions(io, withActions)
  const connections = knownConnections(await readUntrusted(io), io, false)
  return async (file) => {
    const path = resolve(io.workingDirectory, file)
    const read = await readRunbookText(path)
    return loadTestFile('text' in read ? read.text : '', actions, {
      file,
      read: readerOf(path),
      notLoaded,
      connections,
      ...(hooks === undefined ? {} : { hooks }),
      ...(notifyNames === undefined ? {} : { notifyNames }),
      ...(hasPublicUrl === undefined ? {} : { hasPublicUrl }),
    })
  }
}

/** Reads what a test file names: runbooks, and recordings, which may be larger. */
function readerOf(path: string): (name: string) => Uint8Array | undefined {
  const beside = readBeside(path)
  return (name) => {
    if (!/^recordings\/[^/]+\.json$/.test(name)) return beside(name)
    const file = join(dirname(path), name)
    try {
      return statSync(file).size > mostRecordingBytes ? new Uint8Array() : readFileSync(file)
    } catch {
      return undefined
    }
  }
}

const mostRecordingBytes = 64 * 1024 * 1024
