import { join } from 'node:path'
import schema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' }
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { diagnosticRules } from '../../src/load/diagnostic.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

const good = `apiVersion: opsbook/v1
name: good
steps:
  - id: catalog
    uses: monit/tools/catalog
    with: { target_locator: web-01 }
`
const files = {
  'good.yaml': good,
  'bad, 50% off: ü.yaml': good.replace('monit/tools/catalog', 'monit/tools/catalgo'),
  'doubtful.yaml': `${good}    retry: { attempts: 2, errors: [Overloded] }\n`,
  'broken.yaml': 'name: "never\nclosed\n',
}
const paths = [...Object.keys(files), 'missing.yaml']

interface SarifResult {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly message: { readonly text: string }
  readonly locations: readonly { readonly physicalLocation: { readonly region?: object } }[]
}

/** The published schema speaks draft 4; the two words in which that differs from draft 7 here are its name and dialect. */
function sarifValidator(): ReturnType<Ajv['compile']> {
  const { $schema: _, id: __, ...body } = schema
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, unicodeRegExp: false })
  addFormats.default(ajv)
  return ajv.compile(body)
}

test('sarif: fits the published schema, and would be refused if it did not', async () => {
  const folder = await newFolder(files)
  const { code, stdout } = await opsbook(['validate', ...paths, '-o', 'sarif'], { folder })
  expect(code).toBe(2)
  const validate = sarifValidator()
  const log = JSON.parse(stdout)
  validate(log)
  expect(validate.errors).toBeNull()
  for (const spoil of [
    { version: '2.0.0' },
    { runs: [{}] },
    { runs: [{ ...log.runs[0], columnKind: 'bytes' }] },
  ]) {
    expect(validate({ ...log, ...spoil })).toBe(false)
  }
})

test('sarif: every finding with rule, level, range and hint', async () => {
  const folder = await newFolder(files)
  const { stdout } = await opsbook(['validate', ...paths, '-o', 'sarif'], { folder })
  const [{ tool, results }] = JSON.parse(stdout).runs
  const { rules } = tool.driver
  expect(rules.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining([...Object.keys(diagnosticRules), 'FILE_NOT_FOUND']),
  )
  for (const { ruleId, ruleIndex } of results) expect(rules[ruleIndex].id).toBe(ruleId)
  const byRule = (id: string): SarifResult | undefined =>
    results.find(({ ruleId }: SarifResult) => ruleId === id)
  expect(byRule('UNKNOWN_ACTION')).toMatchObject({
    level: 'error',
    message: { text: 'there is no action "monit/tools/catalgo" (did you mean "monit/tools/catalog"?)' },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'bad%2C%2050%25%20off%3A%20%C3%BC.yaml' },
          region: { startLine: 5, startColumn: 11, endLine: 5, endColumn: 30 },
        },
        logicalLocations: [{ fullyQualifiedName: 'steps[0].uses' }],
      },
    ],
  })
  expect(byRule('UNKNOWN_ERROR_CODE')).toMatchObject({ level: 'warning' })
  expect(byRule('FILE_NOT_FOUND')?.locations).toEqual([
    { physicalLocation: { artifactLocation: { uri: 'missing.yaml' } } },
  ])
  expect(rules[byRule('UNKNOWN_ACTION')?.ruleIndex ?? -1].help.markdown).toContain(
    '(docs/diagnostics.md#unknown_action)',
  )
})

test('sarif without findings is a run without results', async () => {
  const folder = await newFolder(files)
  const { code, stdout } = await opsbook(['validate', 'good.yaml', '-o', 'sarif'], { folder })
  expect(code).toBe(0)
  expect(sarifValidator()(JSON.parse(stdout))).toBe(true)
  expect(JSON.parse(stdout).runs[0].results).toEqual([])
})

test('github: one command for each finding, with everything escaped that would end it', async () => {
  const folder = await newFolder(files)
  const { code, stdout, stderr } = await opsbook(['validate', ...paths, '-o', 'github'], { folder })
  expect(code).toBe(2)
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toContain(
    '::error file=bad%2C 50%25 off%3A ü.yaml,line=5,endLine=5,col=11,endColumn=30,title=UNKNOWN_ACTION::' +
      'there is no action "monit/tools/catalgo"%0Ahint: did you mean "monit/tools/catalog"?',
  )
  expect(lines.filter((line) => line.startsWith('::warning file=doubtful.yaml,line=7,'))).toHaveLength(1)
  for (const line of lines) expect(line).toMatch(/^::(error|warning) file=[^:]+,title=[A-Z_]+::[^\r]+$/)
  expect(stderr).toMatch(/^5 files checked: \d errors, 1 warning\n$/)
})

test('github: files are named from the root of the repository, wherever the command runs', async () => {
  const folder = await newFolder(files)
  const env = { GITHUB_WORKSPACE: join(folder, '..') }
  const { stdout } = await opsbook(['validate', 'doubtful.yaml', '-o', 'github'], { folder, env })
  expect(stdout).toMatch(/^::warning file=opsbook-cli-\w+\/doubtful\.yaml,/)
})
