import type { Paint } from '../../project/index.ts'
import { printDiagnostic } from '../../project/runbooks/index.ts'
import { printable } from '../../project/text/index.ts'
import type { Coverage, FailedFault, TestFailure, TestFileResults, TestResult } from '../../testing/index.ts'
import { durationText } from '../../view/text/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { githubLines } from './github.ts'
import { junitText } from './junit.ts'
import type { TestedFile } from './tested-file.ts'

export type TestFormat = 'text' | 'json' | 'junit' | 'github'

/** A format of the results. It gets every file when its tests have run. */
export interface TestReport {
  take(tested: TestedFile): void
  end(): void
}

export interface TestReportOptions {
  readonly output: TestFormat
  readonly coverage: boolean
  readonly strict: boolean
}

export function createTestReport(options: TestReportOptions, context: CommandContext): TestReport {
  if (options.output === 'text') return textReport(options, context)
  const all: TestedFile[] = []
  return {
    take: (tested) => void all.push(tested),
    end() {
      if (options.output === 'json') answerJson(context, { files: all.map(document) })
      else if (options.output === 'junit') answer(context, junitText(all))
      else answer(context, githubLines(all, options.strict))
    },
  }
}

function textReport({ coverage, strict }: TestReportOptions, context: CommandContext): TestReport {
  const totals = { passed: 0, failed: 0, wrong: 0, faults: 0, failedFaults: 0 }
  const { paint } = context
  return {
    take({ file, diagnostics, texts, results }) {
      for (const finding of diagnostics) {
        const name = finding.file ?? file
        answer(context, [...printDiagnostic(name, texts[name], finding, paint), ''])
      }
      if (!results) {
        totals.wrong++
        return
      }
      const { faults } = results
      answer(context, paint.bold(file))
      for (const result of results.tests) {
        totals[result.status]++
        answer(context, testLines(result, file, paint))
      }
      if (faults) {
        totals.faults += faults.tried
        totals.failedFaults += faults.failed.length
        answer(context, faultsHead(faults, paint))
        for (const one of faults.failed) answer(context, faultLines(one, paint))
      }
      for (const one of results.warnings) {
        const head = strict ? paint.red('error') : paint.yellow('warning')
        answer(context, `  ${head} ${printable(one.message)}  ${paint.dim(positionText(file, one))}`)
      }
      if (coverage) answer(context, coverageLines(results.coverage, paint))
      answer(context, '')
    },
    end() {
      const { passed, failed, wrong, faults, failedFaults } = totals
      const parts = [
        ...(passed > 0 || failed === 0 ? [paint.green(`${passed} passed`)] : []),
        ...(failed > 0 ? [paint.red(`${failed} failed`)] : []),
        ...(wrong > 0 ? [paint.red(`${wrong} ${wrong === 1 ? 'file' : 'files'} not run`)] : []),
      ]
      const total = passed + failed
      const tried =
        faults === 0
          ? ''
          : `; ${faults} faults: ${failedFaults === 0 ? paint.green('all survived') : paint.red(`${failedFaults} failed`)}`
      answer(context, `${total} ${total === 1 ? 'test' : 'tests'}: ${parts.join(', ')}${tried}`)
    },
  }
}

function faultsHead({ tried, failed }: NonNullable<TestFileResults['faults']>, paint: Paint): string {
  if (tried === 0)
    return paint.dim('  - faults: none to try, since no run that succeeds sends a write or asks a question')
  const mark = failed.length === 0 ? paint.green('✔') : paint.red('✖')
  return `  ${mark} faults: ${tried} tried${failed.length > 0 ? `, ${failed.length} failed` : ''}`
}

function faultLines({ fault, test, problems, hints, story }: FailedFault, paint: Paint): readonly string[] {
  return [
    `      ${paint.red(printable(fault))} ${paint.dim(`in "${printable(test)}"`)}`,
    ...problems.map((problem) => `        ${printable(problem)}`),
    ...hints.map((hint) => `        ${paint.cyan('hint:')} ${printable(hint)}`),
    ...story.map((line, index) => `        ${paint.dim(`${index + 1}. ${printable(line)}`)}`),
  ]
}

function coverageLines(coverage: TestFileResults['coverage'], paint: Paint): readonly string[] {
  const linesOf = (name: string, { reached, total, missing }: Coverage): readonly string[] => [
    `  ${name}: ${percentOf({ reached, total })} % (${reached} of ${total})`,
    ...missing.map(({ line, what }) => `    ${paint.dim(`line ${line}`)}  ${what}`),
  ]
  return [
    ...linesOf('coverage', coverage),
    ...coverage.children.flatMap((child) => linesOf(`coverage of ${printable(child.file)}`, child)),
  ]
}

/** Rounded down, so that 100 means all. */
export function percentOf({ reached, total }: { readonly reached: number; readonly total: number }): number {
  return total === 0 ? 100 : Math.floor((reached / total) * 100)
}

function testLines(
  { name, status, tookMs, failures }: TestResult,
  file: string,
  paint: Paint,
): readonly string[] {
  const mark = status === 'passed' ? paint.green('✔') : paint.red('✖')
  const took = tookMs === 0 ? '' : `  ${paint.dim(durationText(tookMs))}`
  return [
    `  ${mark} ${printable(name)}${took}`,
    ...failures.flatMap((failure) => [
      `      ${printable(failure.message)}`,
      ...failure.hints.map((hint) => `      ${paint.cyan('hint:')} ${printable(hint)}`),
      `      ${paint.dim(positionText(file, failure))}`,
    ]),
  ]
}

function positionText(file: string, { range: { start } }: TestFailure): string {
  return `${file}:${start.line}:${start.column}`
}

/** The results for scripts. Lines and columns count from 1. */
function document({ file, diagnostics, results }: TestedFile): unknown {
  const at = <T extends { readonly range: TestFailure['range'] }>({
    range: { start },
    ...more
  }: T): unknown => ({
    ...more,
    line: start.line,
    column: start.column,
  })
  if (!results) return { file, diagnostics: diagnostics.map(at) }
  return {
    file,
    diagnostics: diagnostics.map(at),
    tests: results.tests.map(({ tookMs, failures, ...result }) => ({
      ...result,
      took_ms: tookMs,
      failures: failures.map(({ update: _, ...failure }) => at(failure)),
    })),
    ...(results.faults ? { faults: results.faults } : {}),
    coverage: {
      percent: percentOf(results.coverage),
      ...results.coverage,
      children: results.coverage.children.map((child) => ({ percent: percentOf(child), ...child })),
    },
    warnings: results.warnings.map(at),
  }
}
