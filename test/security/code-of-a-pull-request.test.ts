/** CI validates a pull request that brings a module with actions: looking at a project would run its code. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

const own = new URL('../../src/index.ts', import.meta.url).href
const files = {
  'opsbook.yaml': 'actions: [./actions.mjs]\nsecrets: { tickets_token: env:TICKETS_TOKEN }\n',
  'actions.mjs': `import { writeFileSync } from 'node:fs'
import { defineAction } from '${own}'
writeFileSync(new URL('./has-run', import.meta.url), '')
export const open = defineAction({
  name: 'acme/ticket/open', summary: 'Open a ticket', safety: 'read', errors: ['TicketsClosed'],
  input: { type: 'object', required: ['title'], additionalProperties: false,
    properties: { title: { type: 'string' }, token: { type: 'string' }, tags: { type: 'array' } } },
  output: { type: 'object', properties: { id: { type: 'string' }, results: { type: 'array' } } }, sensitiveInput: ['token'], savesFile: 'always',
  batch: { argument: 'tags', size: 2, results: 'results', isPositional: true },
  run: () => ({ id: 'T-1' }),
})
`,
  'ticket.yaml': `apiVersion: opsbook/v1
name: ticket
secrets: [tickets_token]
steps:
  - id: open
    uses: acme/ticket/open
    with: { title: Disk full, token: "\${{ secrets.tickets_token }}" }
    retry: { attempts: 3, errors: [TicketsClosed] }
    save-as: ticket.json
    tolerate: 10%
outputs:
  ticket: \${{ steps.open.outputs.id }}
`,
}
const notChecked =
  'not checked: the action "acme/ticket/open" is not built in, and ./actions.mjs is not loaded'

async function look(words: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const folder = await newFolder({ ...files, ...more })
  const result = await opsbook(words, { folder })
  return { ...result, hasRun: existsSync(join(folder, 'has-run')) }
}

describe('validate', () => {
  it('says what it has not checked, and is no error', async () => {
    const { code, stdout, hasRun } = await look(['validate', 'ticket.yaml', '--output', 'json'])
    const { files: checked, errors, warnings } = JSON.parse(stdout)
    expect(checked[0].diagnostics).toMatchObject([
      {
        code: 'ACTION_NOT_LOADED',
        severity: 'warning',
        message: notChecked,
        hint: '--with-actions loads it',
        line: 6,
      },
    ])
    expect({ code, errors, warnings, hasRun }).toEqual({ code: 0, errors: 0, warnings: 1, hasRun: false })
  })

  it('has an exit code for those who want no doubt', async () => {
    const { code, hasRun } = await look(['validate', 'ticket.yaml', '--max-warnings', '0'])
    expect({ code, hasRun }).toEqual({ code: 2, hasRun: false })
  })

  it.each([
    { written: 'monit/tools/invok', finding: 'UNKNOWN_ACTION', why: 'the namespace is taken' },
    { written: 'ticket', finding: 'UNKNOWN_ACTION', why: 'no action can have this name' },
    { written: 'monti/tools/invoke', finding: 'ACTION_NOT_LOADED', why: 'it may be one of the project' },
  ])('$written: $finding, since $why', async ({ written, finding }) => {
    const text = files['ticket.yaml'].replace('acme/ticket/open', written)
    const { stdout } = await look(['validate', 'ticket.yaml'], { 'ticket.yaml': text })
    expect(stdout).toContain(` ${finding} `)
    if (written.startsWith('mon')) expect(stdout).toContain('did you mean "monit/tools/invoke"?')
  })

  it('finds all other mistakes', async () => {
    const text = files['ticket.yaml']
      .replace('steps.open', 'steps.opne')
      .replace('[tickets_token]', '[other]')
    const { code, stdout, hasRun } = await look(['validate', 'ticket.yaml'], { 'ticket.yaml': text })
    expect(stdout).toMatch(/ UNKNOWN_SECRET [\s\S]* UNKNOWN_STEP /)
    expect({ code, hasRun }).toEqual({ code: 2, hasRun: false })
  })

  it('checks the step where it is asked to', async () => {
    const text = files['ticket.yaml'].replace('title:', 'titel:')
    const { code, stdout, hasRun } = await look(['validate', 'ticket.yaml', '--with-actions'], {
      'ticket.yaml': text,
    })
    expect(stdout).toContain(' UNKNOWN_ARGUMENT ')
    expect({ code, hasRun }).toEqual({ code: 2, hasRun: true })
  })
})

describe('plan', () => {
  it('counts a create, and says what it does not know', async () => {
    const { code, stdout, stderr, hasRun } = await look(['plan', 'ticket.yaml'])
    expect(stdout).toMatch(/^Not checked\n {2}acme\/ticket\/open {2}a call counts as one create/m)
    expect(stderr).toContain(notChecked)
    expect({ code, hasRun }).toEqual({ code: 0, hasRun: false })
    const document = JSON.parse((await look(['plan', 'ticket.yaml', '--output', 'json'])).stdout)
    expect(document).toMatchObject({
      not_checked: [{ action: 'acme/ticket/open', modules: ['./actions.mjs'] }],
      totals: { calls_by_risk: { create: { least: 1, most: 1 } }, secrets: [{ name: 'tickets_token' }] },
      problems: [],
    })
    expect(document).not.toHaveProperty('plan_hash')
  })

  it('knows it where it is asked to', async () => {
    const { stdout, hasRun } = await look(['plan', 'ticket.yaml', '--with-actions', '--output', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ not_checked: [], plan_hash: expect.any(String) })
    expect(hasRun).toBe(true)
  })
})

describe('schema', () => {
  const usesOf = (text: string) =>
    JSON.stringify(JSON.parse(text).definitions.step, (key, value) =>
      key === 'description' ? undefined : value,
    )

  it('takes the names of actions it does not know', async () => {
    const { stdout, stderr, hasRun } = await look(['schema'])
    expect(stderr).toContain(
      'not in the schema: the actions of ./actions.mjs; "opsbook schema --with-actions" includes them',
    )
    expect(usesOf(stdout)).toContain('"pattern":"^(?!(?:core|')
    expect(hasRun).toBe(false)
  })

  it('knows them where it is asked to, and takes no others', async () => {
    const { stdout, stderr, hasRun } = await look(['schema', '--with-actions'])
    expect(stderr).toBe('')
    expect(usesOf(stdout)).toContain('"acme/ticket/open"')
    expect(usesOf(stdout)).not.toContain('"pattern":"^(?!')
    expect(hasRun).toBe(true)
  })
})

it('init runs no code of the folder that it sets up', async () => {
  const folder = await newFolder(files)
  await mkdir(join(folder, 'inside'))
  const { stderr } = await opsbook(['init'], { folder })
  expect(stderr).toContain('"opsbook schema --with-actions" includes them')
  expect(existsSync(join(folder, 'has-run'))).toBe(false)
})
