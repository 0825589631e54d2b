import type { Range } from '../../core/diagnostic.ts'
import type { TestedFile } from './tested-file.ts'

/** The failures as workflow commands of GitHub Actions, which become annotations of their lines. */
export function githubLines(files: readonly TestedFile[], strict: boolean): readonly string[] {
  const lines = files.flatMap(({ file, diagnostics, results }) => [
    ...diagnostics.map(({ severity, code, message, range, file: own = file }) =>
      annotation(severity, own, range, code, message),
    ),
    ...(results?.tests ?? []).flatMap(({ name, failures }) =>
      failures.map(({ message, hints, range }) =>
        annotation('error', file, range, name, [message, ...hints].join('\n')),
      ),
    ),
    ...(results?.faults?.failed ?? []).map(({ fault, problems, story }) =>
      annotation('error', file, undefined, fault, [...problems, ...story].join('\n')),
    ),
    ...(results?.warnings ?? []).map(({ message, range }) =>
      annotation(strict ? 'error' : 'warning', file, range, 'script', message),
    ),
  ])
  const tests = files.flatMap(({ results }) => results?.tests ?? [])
  const passed = tests.filter(({ status }) => status === 'passed').length
  return [...lines, `${tests.length} tests: ${passed} passed, ${tests.length - passed} failed`]
}

function annotation(
  severity: 'error' | 'warning',
  file: string,
  range: Range | undefined,
  title: string,
  message: string,
): string {
  const place = range ? `,line=${range.start.line},col=${range.start.column}` : ''
  return `::${severity} file=${property(file)}${place},title=${property(title)}::${data(message)}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
