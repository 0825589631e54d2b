import type { Range } from '../../load/index.ts'
import { countText } from '../../view/text/index.ts'
import { annotation } from '../shared/workflow-annotation.ts'
import type { TestedFile } from './tested-file.ts'

/** The failures as workflow commands of GitHub Actions, which become annotations of their lines. */
export function githubLines(files: readonly TestedFile[], strict: boolean): readonly string[] {
  const lines = files.flatMap(({ file, diagnostics, results }) => [
    ...diagnostics.map(({ severity, code, message, range, file: own = file }) =>
      at(severity, own, range, code, message),
    ),
    ...(results?.tests ?? []).flatMap(({ name, failures }) =>
      failures.map(({ message, hints, range }) =>
        at('error', file, range, name, [message, ...hints].join('\n')),
      ),
    ),
    ...(results?.faults?.failed ?? []).map(({ fault, problems, story }) =>
      at('error', file, undefined, fault, [...problems, ...story].join('\n')),
    ),
    ...(results?.warnings ?? []).map(({ message, range }) =>
      at(strict ? 'error' : 'warning', file, range, 'script', message),
    ),
  ])
  const tests = files.flatMap(({ results }) => results?.tests ?? [])
  const passed = tests.filter(({ status }) => status === 'passed').length
  return [...lines, `${countText(tests.length, 'test')}: ${passed} passed, ${tests.length - passed} failed`]
}

function at(
  level: 'error' | 'warning',
  file: string,
  range: Range | undefined,
  title: string,
  message: string,
): string {
  return annotation({ level, file, line: range?.start.line, column: range?.start.column, title, message })
}
