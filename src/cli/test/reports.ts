import { formatDuration } from '../../core/duration.ts'
import type { LoadedTestFile, TestFailure, TestResult } from '../../testing/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import type { Paint } from '../shared/terminal/paint.ts'
import { printDiagnostic } from '../shared/terminal/print-diagnostic.ts'
import { printable } from '../shared/terminal/printable.ts'

export type TestFormat = 'text' | 'json'

/** A test file with everything that was found and seen. */
export interface TestedFile extends Pick<LoadedTestFile, 'diagnostics' | 'texts'> {
  readonly file: string
  readonly results: readonly TestResult[]
}

/** A format of the results. It gets every file when its tests have run. */
export interface TestReport {
  take(tested: TestedFile): void
  end(): void
}

export function createTestReport(format: TestFormat, context: CommandContext): TestReport {
  return reports[format](context)
}

const textReport = (context: CommandContext): TestReport => {
  const totals = { passed: 0, failed: 0, wrong: 0 }
  return {
    take({ file, diagnostics, texts, results }) {
      const { paint } = context
      for (const finding of diagnostics) {
        const name = finding.file ?? file
        answer(context, [...printDiagnostic(name, texts[name], finding, paint), ''])
      }
      if (diagnostics.some(({ severity }) => severity === 'error')) totals.wrong++
      if (results.length === 0) return
      answer(context, paint.bold(file))
      for (const result of results) {
        totals[result.status]++
        answer(context, testLines(result, file, paint))
      }
      answer(context, '')
    },
    end() {
      const { passed, failed, wrong } = totals
      const { paint } = context
      const parts = [
        ...(passed > 0 || failed === 0 ? [paint.green(`${passed} passed`)] : []),
        ...(failed > 0 ? [paint.red(`${failed} failed`)] : []),
        ...(wrong > 0 ? [paint.red(`${wrong} ${wrong === 1 ? 'file' : 'files'} not run`)] : []),
      ]
      const total = passed + failed
      answer(context, `${total} ${total === 1 ? 'test' : 'tests'}: ${parts.join(', ')}`)
    },
  }
}

function testLines(
  { name, status, tookMs, failures }: TestResult,
  file: string,
  paint: Paint,
): readonly string[] {
  const mark = status === 'passed' ? paint.green('✔') : paint.red('✖')
  const took = tookMs === 0 ? '' : `  ${paint.dim(formatDuration(tookMs))}`
  return [`  ${mark} ${printable(name)}${took}`, ...failures.flatMap((one) => failureLines(one, file, paint))]
}

function failureLines({ message, hints, range }: TestFailure, file: string, paint: Paint): readonly string[] {
  const position = `${file}:${range.start.line}:${range.start.column}`
  return [
    `      ${printable(message)}`,
    ...hints.map((hint) => `      ${paint.cyan('hint:')} ${printable(hint)}`),
    `      ${paint.dim(position)}`,
  ]
}

const jsonReport = (context: CommandContext): TestReport => {
  const files: unknown[] = []
  return {
    take({ file, diagnostics, results }) {
      files.push({
        file,
        diagnostics: diagnostics.map(({ range, ...finding }) => ({ ...finding, ...positionOf(range) })),
        tests: results.map(({ tookMs, failures, ...result }) => ({
          ...result,
          took_ms: tookMs,
          failures: failures.map(({ range, ...failure }) => ({ ...failure, ...positionOf(range) })),
        })),
      })
    },
    end() {
      answerJson(context, { files })
    },
  }
}

function positionOf({ start }: TestFailure['range']): { readonly line: number; readonly column: number } {
  return { line: start.line, column: start.column }
}

const reports: Readonly<Record<TestFormat, (context: CommandContext) => TestReport>> = {
  text: textReport,
  json: jsonReport,
}
