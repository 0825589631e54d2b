import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { newFolder, opsbook } from './support/opsbook.ts'

const runbook = `apiVersion: opsbook/v1
name: tell
steps:
  - { id: tell, uses: core/http, with: { method: POST, url: "https://chat.example.com/", safety: create } }
  - { id: undo, if: "\${{ steps.tell.outputs.status == 200 }}", uses: core/http, with: { method: POST, url: "https://chat.example.com/" } }
`

/** What XML, attributes and parsers make of them is the point. */
const names = ['plain', `a<b & "c" 'd' ]]> <!-- -->`, 'two\nlines\tand a tab', 'ünï 🚀 \u4e2d', 'bell \u0007']

interface Case {
  readonly name: string
  readonly classname: string
  readonly time: string
  readonly failure?: readonly (string | { readonly message: string; readonly '#text'?: string })[]
  readonly error?: readonly { readonly message: string; readonly '#text': string }[]
}

interface Suite {
  readonly name: string
  readonly tests: string
  readonly failures: string
  readonly errors: string
  readonly time: string
  readonly testcase: readonly Case[]
}

/** The set that CI systems read alike: one root, counted suites, cases, and at most a failure or an error in each. */
function readJUnit(text: string): readonly Suite[] {
  expect(XMLValidator.validate(text)).toBe(true)
  const isList = (name: string): boolean => ['testsuite', 'testcase', 'failure', 'error'].includes(name)
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseAttributeValue: false,
    parseTagValue: false,
    trimValues: false,
    htmlEntities: true,
    isArray: isList,
  })
  const document = parser.parse(text)
  expect(Object.keys(document).filter((key) => !/^(\?xml|#text)$/.test(key))).toEqual(['testsuites'])
  const suites = document.testsuites.testsuite as readonly Suite[]
  for (const suite of suites) {
    const { testcase, tests, failures, errors, time } = suite
    expect(Number(tests)).toBe(testcase.length)
    expect(Number(failures)).toBe(testcase.filter((one) => one.failure).length)
    expect(Number(errors)).toBe(testcase.filter((one) => one.error).length)
    expect(time).toMatch(/^\d+(\.\d+)?$/)
    for (const one of testcase) {
      expect(one.time).toMatch(/^\d+(\.\d+)?$/)
      expect(one.classname).toBe(suite.name)
    }
  }
  return suites
}

it('an XML parser reads every name and message of the report as it was written', async () => {
  const tests = names.map((name, index) => ({
    name,
    calls: { tell: { output: { status: 200 } }, undo: { output: {} } },
    expect: index === 0 ? { status: 'succeeded' } : { status: 'failed', calls: ['tell'] },
  }))
  const files = {
    'tell.yaml': runbook,
    'a.test.yaml': stringify({ runbook: './tell.yaml', tests }),
    'b.test.yaml': stringify({ runbook: './none<.yaml', tests: [{ name: 'one', expect: {} }] }),
  }
  const { code, stdout } = await opsbook(['test', '--output', 'junit'], { folder: await newFolder(files) })
  expect(code).toBe(2)
  const [first, second] = readJUnit(stdout)
  const shown = names.map((name) => name.replaceAll('\u0007', '\ufffd'))
  expect(first?.testcase.map(({ name }) => name)).toEqual(shown)
  expect(first?.failures).toBe('4')
  expect(first?.testcase[1]?.failure).toHaveLength(2)
  expect(first?.testcase[1]?.failure?.[0]).toMatchObject({
    message: 'status is succeeded, expected failed',
  })
  expect(second).toMatchObject({ name: 'b.test.yaml', tests: '1', errors: '1' })
  expect(second?.testcase[0]?.error?.[0]).toMatchObject({
    message: 'the test file is wrong',
    '#text': expect.stringContaining('there is no file none<.yaml'),
  })
})
