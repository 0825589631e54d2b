import { posix } from 'node:path'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import {
  checkInputs,
  type Diagnostic,
  type LoadOptions,
  loadRunbook,
  type ReadFile,
} from '../../load/index.ts'
import {
  compileOwn,
  findingPlace,
  inOrder,
  readSource,
  type Source,
  schemaFindings,
} from '../../load/yaml/index.ts'
import type { ScriptedAction } from '../host/scripted-world.ts'
import { loadRecordings } from '../recording/load-recordings.ts'
import type { Recording } from '../recording/recording.ts'
import { checkCodes } from './check-codes.ts'
import { checkNames } from './check-names.ts'
import { checkScripts } from './check-scripts.ts'
import { wordsOfTestFile } from './subject-words.ts'
import type { TestCase, TestFile } from './test-file.ts'
import { testFileSchema } from './test-file-schema.ts'

/** What a test file is loaded with, beside its text. */
export interface LoadTestOptions extends Omit<LoadOptions, 'file'> {
  /** The path of the test file, which findings carry. */
  readonly file: string
  /** Reads a file by its path from the folder of the test file: the runbook, and those that it runs. */
  readonly read: ReadFile
}

/** A test file that can be run. */
export interface LoadedTests {
  readonly file: string
  readonly document: TestFile
  readonly source: Source
  readonly plan: Plan
  /** The text of the runbook, with the positions of its steps. */
  readonly runbookSource: Source
  /** The path of the runbook, to show. */
  readonly runbookFile: string
  readonly actions: readonly ScriptedAction[]
  /** By name: those that scripts name. */
  readonly recordings: ReadonlyMap<string, Recording>
}

/** A test file, where nothing is wrong, and everything that was found. */
export interface LoadedTestFile {
  readonly tests?: LoadedTests
  readonly diagnostics: readonly Diagnostic[]
  /** The text of every file that was read, by the name that findings carry. */
  readonly texts: Readonly<Record<string, string>>
}

/** Loads a test file and its runbook. Mistakes of the author are diagnostics with positions. */
export function loadTestFile(
  input: string | Uint8Array,
  actions: readonly ScriptedAction[],
  { file, read, ...options }: LoadTestOptions,
): LoadedTestFile {
  const source = readSource(input, file, 'tests')
  const own = { [file]: source.text }
  checkShape(source)
  if (hasErrors(source)) return { diagnostics: inOrder(source.findings.list), texts: own }
  const document = source.value as TestFile
  const folder = posix.dirname(file.replaceAll('\\', '/'))
  const runbookFile = posix.join(folder, document.runbook)
  const text = read(document.runbook)
  if (text === null) {
    const message = `${runbookFile} is not in this repository, or a link leads out of it`
    source.add('INVALID_PATH', ['runbook'], message, 'name a runbook of this repository')
    return { diagnostics: source.findings.list, texts: own }
  }
  if (text === undefined) {
    source.add('RUNBOOK_NOT_FOUND', ['runbook'], `there is no file ${runbookFile}`)
    return { diagnostics: source.findings.list, texts: own }
  }
  const base = posix.dirname(document.runbook)
  const { plan, diagnostics, texts } = loadRunbook(text, actions, {
    ...options,
    file: runbookFile,
    readRunbook: (path) => read(posix.join(base, path)),
  })
  const recordings = new Map<string, Recording>()
  if (plan) {
    checkNames(source, document, plan)
    checkScripts(source, document, plan, actions)
    checkCodes(source, document, plan, actions)
    loadRecordings(source, document, read, recordings)
    for (const [index, test] of document.tests.entries()) checkTestInputs(source, document, test, index, plan)
  }
  const found = inOrder(source.findings.list)
  const all = [...found, ...(plan ? [] : diagnostics)]
  return {
    diagnostics: all,
    texts: { ...texts, ...own },
    ...(plan && !hasErrors(source)
      ? {
          tests: {
            file,
            document,
            source,
            plan,
            runbookSource: readSource(text),
            runbookFile,
            actions,
            recordings,
          },
        }
      : {}),
  }
}

/** The inputs that a test starts its run with, before defaults of the runbook. */
export function givenInputs({ defaults }: Pick<TestFile, 'defaults'>, { inputs }: TestCase): JsonObject {
  return { ...defaults?.inputs, ...inputs }
}

function checkShape(source: Source): void {
  if (hasErrors(source)) return
  const validate = compileOwn(testFileSchema)
  for (const { code, path, isAboutKey, message, hint } of schemaFindings(
    validate,
    source.value,
    [],
    wordsOfTestFile,
  )) {
    source.add(code, findingPlace(path, isAboutKey), message, hint)
  }
}

/** A test that expects `refused` is about wrong inputs. */
function checkTestInputs(
  source: Source,
  document: TestFile,
  test: TestCase,
  index: number,
  plan: Plan,
): void {
  if (test.expect.status === 'refused') return
  for (const { path, message } of checkInputs(plan, givenInputs(document, test)).problems) {
    const [first = ''] = path.split(/[.[]/)
    const isOwn =
      test.inputs !== undefined && (first in test.inputs || document.defaults?.inputs === undefined)
    const at = isOwn ? ['tests', index, 'inputs', first] : ['defaults', 'inputs', first]
    source.add('WRONG_INPUT', at, `${path === '' ? '' : `${path}: `}${message}`)
  }
}

function hasErrors({ findings }: Source): boolean {
  return findings.list.some(({ severity }) => severity === 'error')
}
