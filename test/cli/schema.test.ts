import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

test('is a JSON Schema on stdout', async () => {
  const { code, stdout, stderr } = await opsbook(['schema'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    required: ['apiVersion', 'name', 'steps'],
  })
})

test('of the configuration', async () => {
  const { code, stdout } = await opsbook(['schema', '--configuration'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Opsbook configuration',
    properties: { connections: {}, secrets: {}, actions: {}, 'data-dir': {} },
  })
})

test('goes to a file, and leaves one alone that is up to date', async () => {
  const folder = await newFolder()
  const file = join(folder, 'runbook.schema.json')
  const write = (): ReturnType<typeof opsbook> =>
    opsbook(['schema', '--file', 'runbook.schema.json'], { folder })
  expect(await write()).toMatchObject({ code: 0, stdout: '', stderr: 'runbook.schema.json is written\n' })
  expect(readFileSync(file, 'utf8')).toBe((await opsbook(['schema'])).stdout)
  expect(await write()).toMatchObject({ code: 0, stderr: 'runbook.schema.json is up to date\n' })
  writeFileSync(file, '{}')
  expect(await write()).toMatchObject({ code: 0, stderr: 'runbook.schema.json is written\n' })
  expect(readdirSync(folder)).toEqual(['runbook.schema.json'])
})

test('has the actions of the project', async () => {
  const definition = {
    name: 'acme/ticket/open',
    summary: 'Open a ticket',
    safety: 'create',
    input: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
    output: { type: 'object' },
  }
  const door = new URL('../../src/index.ts', import.meta.url).href
  const module = `import { defineAction } from '${door}'
export const open = defineAction({ ...${JSON.stringify(definition)}, run: async () => ({}) })
`
  const folder = await newFolder({ 'opsbook.yaml': 'actions: [./tickets.mjs]\n', 'tickets.mjs': module })
  const { code, stdout, stderr } = await opsbook(['schema', '--with-actions'], { folder })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('"Open a ticket."')
})

test('a file that cannot be written is a matter of the environment', async () => {
  const folder = await newFolder()
  mkdirSync(join(folder, 'taken'))
  const missing = await opsbook(['schema', '--file', 'none/x.json'], { folder })
  expect(missing.code).toBe(5)
  expect(missing.stderr).toContain('there is no such folder')
  expect((await opsbook(['schema', '--file', 'taken'], { folder })).code).toBe(5)
  writeFileSync(join(folder, 'file'), '')
  expect(await opsbook(['schema', '--file', 'file/x.json'], { folder })).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('file/x.json cannot be written: a part of the path is a file'),
  })
  expect(readdirSync(folder)).toEqual(['file', 'taken'])
})
