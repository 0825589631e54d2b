import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { opsbook } from '../cli/support/opsbook.ts'
import { smoke } from '../support/smoke.ts'
import { newFolder, pathOf } from './folder.ts'
import { startHttpStandIn } from './http-stand-in.ts'
import { commandsOf, configurationOf, sectionOf } from './page.ts'
import { casesOf, playCases, shipped } from './shipped-cases.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** Nothing is sent to it. */
const noServer = { address: (): string => 'https://stand-in.example.com' }

// Most of their time is waiting: for the pause before a repeat, for the disk.
describe.concurrent.each(shipped)('%s', (file) => {
  const cases = casesOf(file)

  it('has runs that go well, and others', () => {
    const wentWell = cases.filter(({ status, refused }) => (status ?? refused) === undefined)
    expect(wentWell.length).toBeGreaterThan(0)
    expect(cases.length).toBeGreaterThan(wentWell.length)
  })

  it('is told about', () => {
    const name = file.replace('.yaml', '')
    expect(read('docs/runbooks.md')).toContain(`\n## ${name}\n`)
    expect(read('README.md')).toContain(`(docs/runbooks.md#${name})`)
    const inputs = Object.keys((parse(read(`runbooks/${file}`)) as ShippedRunbook).inputs.properties)
    const rows =
      sectionOf(name)
        .match(/^\| `.*$/gm)
        ?.join('\n') ?? ''
    expect(inputs.filter((input) => !rows.includes(`\`${input}\``))).toEqual([])
  })

  it('is run as its page says', async ({ onTestFinished }) => {
    const section = sectionOf(file.replace('.yaml', ''))
    const standIn = await startHttpStandIn(cases[0]?.http ?? {})
    onTestFinished(() => standIn.close())
    const { files, env } = cases[0]?.http ? configurationOf(section, standIn) : { files: {}, env: {} }
    const folder = await newFolder(onTestFinished, files)
    const commands = commandsOf(section)
    const words = ['run', file.replace('.yaml', ''), ...(cases[0]?.http ? [] : ['--sandbox'])]
    expect(commands).toEqual([expect.arrayContaining(words)])
    for (const words of commands) {
      const { code, stderr } = await opsbook([...words, '--data-dir', 'data'], { folder, env })
      expect(code, stderr).toBe(0)
    }
  })

  it('has no findings', async ({ onTestFinished }) => {
    const { files } = configurationOf(sectionOf(file.replace('.yaml', '')), noServer)
    const folder = await newFolder(onTestFinished, files)
    const { code, stdout } = await opsbook(['validate', '--max-warnings', '0', pathOf(file)], { folder })
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('1 file checked')
  })

  it('describes itself and every input', () => {
    const { title, description, inputs } = parse(read(`runbooks/${file}`)) as ShippedRunbook
    expect([title, description, inputs.additionalProperties]).toEqual([
      expect.any(String),
      expect.any(String),
      false,
    ])
    for (const [name, schema] of Object.entries(inputs.properties)) {
      expect(schema.description, name).toMatch(/\w.*\.$/)
      expect('default' in schema || Array.isArray(schema.examples) || 'enum' in schema, name).toBe(true)
    }
  })

  playCases(file, smoke(cases))
})

it('no case is about a runbook that is not shipped', () => {
  expect(readdirSync(new URL('test/cases/runbooks/', root)).toSorted()).toEqual(shipped)
})

interface ShippedRunbook {
  readonly title?: string
  readonly description?: string
  readonly inputs: {
    readonly additionalProperties?: boolean
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
}
