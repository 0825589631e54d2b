/** `opsbook test`: runbooks under test. */

import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Diagnostic } from '../../load/index.ts'
import { lookUpActions } from '../../project/actions/index.ts'
import { readUntrusted } from '../../project/configuration/index.ts'
import { knownConnections } from '../../project/connections/index.ts'
import { CommandError } from '../../project/index.ts'
import { readBeside, readRunbookText } from '../../project/runbook-files/index.ts'
import { firstFindings } from '../../project/runbooks/index.ts'
import {
  type LoadedTestFile,
  loadTestFile,
  type RunTestsOptions,
  runTests,
  type TestFileResults,
} from '../../testing/index.ts'
import { type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { WithActionsFlags } from '../shared/options.ts'
import { findTestFiles } from './find-test-files.ts'
import { createTestReport, percentOf, type TestFormat } from './reports.ts'
import type { TestedFile } from './tested-file.ts'
import { updateFile } from './update.ts'
import { watchTests } from './watch.ts'

/** The flags of `test`, as the parser hands them over. */
export interface TestOptions extends WithActionsFlags {
  readonly output: TestFormat
  readonly only?: string
  /** What answers the calls of the service in place of scripts. */
  readonly against?: 'sandbox'
  readonly strict?: boolean
  readonly update?: boolean
  readonly watch?: boolean
  readonly coverage?: boolean
  /** In percent. */
  readonly minCoverage?: number
}

/** Runs the tests of the files at the paths: once, or again after each change. */
export async function test(
  context: CommandContext,
  paths: readonly string[],
  options: TestOptions,
): Promise<ExitCode> {
  if (options.against && options.update) {
    throw new CommandError('usage', '--update and --against cannot be combined', {
      hints: ['run --update without --against: expectations hold for the scripts'],
    })
  }
  const find = (): Promise<readonly string[]> => findTestFiles(paths, context.io)
  if (!options.watch) return (await runFiles(context, await find(), options)).code
  if (options.output !== 'text')
    throw new CommandError('usage', `--watch prints text, and no ${options.output}`)
  const run = async (files: readonly string[], onRead: (path: string) => void): Promise<TestRun['read']> =>
    (await runFiles(context, files, options, onRead)).read
  return watchTests(context, { find, run })
}

interface TestRun {
  readonly code: ExitCode
  /** The paths that each test file read, or looked for. */
  readonly read: ReadonlyMap<string, ReadonlySet<string>>
}

async function runFiles(
  context: CommandContext,
  files: readonly string[],
  options: TestOptions,
  onRead: (path: string) => void = () => {},
): Promise<TestRun> {
  const { output, strict = false, minCoverage, only, against } = options
  const read = new Map<string, Set<string>>()
  const load = await createLoader(context, options, read, onRead)
  const coverage = options.coverage === true || minCoverage !== undefined
  const report = createTestReport({ output, coverage, strict }, context)
  const tested: TestedFile[] = []
  const runOptions = {
    ...(only === undefined ? {} : { only }),
    ...(against ? await againstSandbox(context, options) : {}),
  }
  for (const file of files) {
    if (options.update) await updateFile(context, file, load, runOptions)
    const loaded = await load(file)
    const { tests, diagnostics, texts } = against && only === undefined ? withoutFaults(loaded) : loaded
    const results = tests && (await runTests(tests, runOptions))
    const one = {
      file,
      diagnostics: firstFindings(diagnostics),
      texts,
      ...(tests ? { runbook: tests.runbookFile } : {}),
      ...(results ? { results } : {}),
    }
    report.take(one)
    tested.push(one)
  }
  report.end()
  return { code: codeOf(context, tested, options), read }
}

async function againstSandbox(
  { io }: CommandContext,
  { withActions = false }: TestOptions,
): Promise<RunTestsOptions> {
  const { actions } = await lookUpActions(io, withActions)
  const { openSandboxWorld } = await import('./sandbox-world.ts')
  return { openWorld: () => openSandboxWorld(actions) }
}

/** Faults take the place of answers, and a sandbox has its own: a file that asks for them is refused. */
function withoutFaults(loaded: LoadedTestFile): LoadedTestFile {
  const { tests, diagnostics, texts } = loaded
  if (tests?.document.faults === undefined) return loaded
  const refusal: Diagnostic = {
    code: 'WRONG_VALUE',
    severity: 'error',
    path: 'faults',
    range: tests.source.rangeOf({ key: ['faults'] }),
    message: 'faults cannot be tried against a sandbox: they take the place of its answers',
    hint: '--only TEXT runs tests without faults',
  }
  return { diagnostics: [...diagnostics, refusal], texts }
}

function codeOf(
  context: CommandContext,
  tested: readonly TestedFile[],
  { only, minCoverage, strict = false, watch = false }: TestOptions,
): ExitCode {
  if (tested.some(({ results }) => results === undefined)) return exitCodes.usage
  if (!watch && only !== undefined && tested.every(({ results }) => results?.tests.length === 0))
    throw new CommandError('usage', `no test has a name that holds "${only}"`)
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
  reads: Map<string, Set<string>>,
  onRead: (path: string) => void,
): Promise<(file: string, text?: string) => Promise<LoadedTestFile>> {
  const { actions, people: _, ...known } = await lookUpActions(io, withActions)
  const connections = knownConnections(await readUntrusted(io), io, false)
  return async (file, given) => {
    const path = resolve(io.workingDirectory, file)
    const seen = new Set<string>()
    reads.set(file, seen)
    const note = (name: string): void => {
      seen.add(name)
      onRead(name)
    }
    note(path)
    const beside = readerOf(path)
    const read = given === undefined ? readRunbookText(path) : { text: given }
    if ('problem' in read && /UNREADABLE|OUTSIDE/.test(read.problem.code)) {
      const { message, hint } = read.problem
      throw new CommandError('usage', `${file}: ${message}`, hint === undefined ? {} : { hints: [hint] })
    }
    return loadTestFile('text' in read ? read.text : '', actions, {
      file,
      read(name) {
        note(resolve(dirname(path), name))
        return beside(name)
      },
      ...known,
      connections,
    })
  }
}

/** Reads what a test file names: runbooks, and recordings, which may be larger. */
function readerOf(path: string): ReturnType<typeof readBeside> {
  const ofRunbooks = readBeside(path)
  const ofRecordings = readBeside(path, (file) =>
    statSync(file).size > mostRecordingBytes ? new Uint8Array() : readFileSync(file),
  )
  return (name) => (/^recordings\/[^/]+\.json$/.test(name) ? ofRecordings(name) : ofRunbooks(name))
}

const mostRecordingBytes = 64 * 1024 * 1024
