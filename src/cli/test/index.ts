/** `opsbook test`: runbooks under test. */
import { resolve } from 'node:path'
import { type LoadedTestFile, loadTestFile, runTests } from '../../testing/index.ts'
import { knownConnections } from '../shared/configuration/connection.ts'
import { readUntrusted } from '../shared/configuration/read-configuration.ts'
import type { CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { lookUpActions } from '../shared/load-actions.ts'
import type { WithActionsFlags } from '../shared/options.ts'
import { readBeside, readRunbookText } from '../shared/runbook-files/read-runbook-text.ts'
import { findTestFiles } from './find-test-files.ts'
import { createTestReport, type TestedFile, type TestFormat } from './reports.ts'

/** The flags of `test`, as the parser hands them over. */
export interface TestOptions extends WithActionsFlags {
  readonly output: TestFormat
  readonly only?: string
}

/** Runs the tests of the files at the paths. */
export async function test(
  context: CommandContext,
  paths: readonly string[],
  options: TestOptions,
): Promise<ExitCode> {
  const files = await findTestFiles(paths, context.io)
  const load = await createLoader(context, options)
  const report = createTestReport(options.output, context)
  const tested: TestedFile[] = []
  for (const file of files) {
    const { tests, diagnostics, texts } = await load(file)
    const only = options.only === undefined ? {} : { only: options.only }
    const results = tests ? await runTests(tests, only) : []
    const one = { file, diagnostics, texts, results }
    report.take(one)
    tested.push(one)
  }
  report.end()
  if (tested.some(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error')))
    return exitCodes.usage
  const isFailed = tested.some(({ results }) => results.some(({ status }) => status === 'failed'))
  return isFailed ? exitCodes.failed : exitCodes.succeeded
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
      read: readBeside(path),
      notLoaded,
      connections,
      ...(hooks === undefined ? {} : { hooks }),
      ...(notifyNames === undefined ? {} : { notifyNames }),
      ...(hasPublicUrl === undefined ? {} : { hasPublicUrl }),
    })
  }
}
