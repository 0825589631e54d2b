import type { TestedFile } from './tested-file.ts'

/** The results in the set of JUnit's XML that CI systems have in common: suites, cases, failures, errors. */
export function junitText(files: readonly TestedFile[]): string {
  const suites = files.map(suite)
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>'].join('\n')
}

function suite({ file, diagnostics, results }: TestedFile): string {
  if (!results) {
    const text = diagnostics.map(
      ({ code, message, range: { start } }) => `${start.line}:${start.column} ${code} ${message}`,
    )
    return element('testsuite', { name: file, tests: 1, failures: 0, errors: 1, time: 0 }, [
      element('testcase', { name: 'the test file', classname: file, time: 0 }, [
        element('error', { message: 'the test file is wrong' }, [escaped(text.join('\n'))]),
      ]),
    ])
  }
  const tests = results.tests.map(({ name, failures, tookMs }) =>
    element(
      'testcase',
      { name, classname: file, time: tookMs / 1000 },
      failures.map(({ message, hints, range: { start } }) =>
        element('failure', { message }, [
          escaped([`${file}:${start.line}:${start.column}`, ...hints].join('\n')),
        ]),
      ),
    ),
  )
  const faults = (results.faults?.failed ?? []).map(({ fault, problems, story }) =>
    element('testcase', { name: `fault: ${fault}`, classname: file, time: 0 }, [
      element('failure', { message: problems.join('; ') }, [escaped(story.join('\n'))]),
    ]),
  )
  const failed = results.tests.filter(({ status }) => status === 'failed').length + faults.length
  const time = results.tests.reduce((sum, { tookMs }) => sum + tookMs, 0) / 1000
  const all = [...tests, ...faults]
  return element('testsuite', { name: file, tests: all.length, failures: failed, errors: 0, time }, all)
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  inside: readonly string[],
): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(String(value))}"`)
  return inside.length === 0
    ? `<${name}${list.join('')}/>`
    : `<${name}${list.join('')}>${inside.join('\n')}</${name}>`
}

/** A parser reads the breaks of an attribute as spaces, unless they are written as references. */
function attribute(text: string): string {
  return escaped(text).replaceAll('\n', '&#10;').replaceAll('\r', '&#13;').replaceAll('\t', '&#9;')
}

/** XML has no place for control characters, however they are written. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
