import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

/** Nothing of `opsbook.yaml` stops a user from looking, or from an urgent act, but the parts that say where runs are. */
const misspelt = 'data-dir: data\nconections: {}\n'
const unneeded = 'warning: the configuration opsbook.yaml is not valid; this command does not need'
const cases: readonly (readonly [opsbookYaml: string, line: string, code: number, said: string])[] = [
  [misspelt, 'tokens', 0, 'did you mean "connections"?'],
  [misspelt, 'tokens', 0, unneeded],
  [misspelt, 'tokens create ada --role viewer --expires 1d', 0, unneeded],
  [misspelt, 'tokens revoke 9f2c41d07ab3', 2, 'there is no token "9f2c41d07ab3"'],
  [misspelt, 'audit', 0, unneeded],
  [misspelt, 'runs', 0, unneeded],
  [misspelt, 'inbox', 0, unneeded],
  [misspelt, 'show latest', 2, 'there are no runs in '],
  [misspelt, 'logs latest', 2, 'there are no runs in '],
  [misspelt, 'cancel latest', 2, 'there are no runs in '],
  [misspelt, 'pause latest', 2, 'there are no runs in '],
  [misspelt, 'approve latest ok', 2, 'there are no runs in '],
  [misspelt, 'prune --older-than 1d', 0, unneeded],
  [misspelt, 'triggers pause', 0, unneeded],
  [misspelt, 'events', 0, unneeded],
  [misspelt, 'events --refused', 0, unneeded],
  ['connections: { prod: { base-url: 3 } }', 'tokens --data-dir data', 0, unneeded],
  [`hooks: { a: { id: "\${{ 1 + }}" } }`, 'tokens --data-dir data', 0, unneeded],
  ['temporal: { adress: x }', 'runs --data-dir data', 0, unneeded],
  ['temporal: { adress: x }\nengine: temporal', 'runs --data-dir data', 2, 'did you mean "address"?'],
  // What may be meant for a part that is needed.
  ['datadir: data\n', 'tokens', 2, 'with --data-dir FOLDER, this command does not need the file'],
  ['datadir: data\n', 'tokens --data-dir data', 0, unneeded],
  ['folder: data\n', 'tokens', 2, 'with --data-dir FOLDER, this command does not need the file'],
  [
    'folder: data\n',
    'prune --older-than 1d',
    2,
    'with --data-dir FOLDER and --engine embedded, this command',
  ],
  ['data-dir: data\nrunner: temporal\n', 'runs', 2, 'with --data-dir FOLDER and --engine embedded, this'],
  ['data-dir: data\nengine: embedded\nrunner: temporal\n', 'runs', 0, unneeded],
  ['data-dir: 3\n', 'runs', 2, 'with --data-dir FOLDER and --engine embedded, this command does not'],
  ['enginee: temporal\n', 'runs --data-dir data', 2, 'did you mean "engine"?'],
  ['engine: tempral\n', 'runs --data-dir data --engine embedded', 0, unneeded],
  ['triggers: { keepkeys: 1d }\n', 'triggers pause --data-dir data', 0, unneeded],
  // What cannot be read at all.
  ['data-dir: data\n\tengine: x\n', 'tokens', 2, 'with --data-dir FOLDER, this command'],
  ['data-dir: data\n\tengine: x\n', 'tokens --data-dir data', 0, `${unneeded} it`],
  ['data-dir: data\ndata-dir: b\n', 'runs --data-dir data', 2, 'stands twice'],
  ['- a list\n', 'audit --data-dir data', 0, `${unneeded} it`],
  // Commands that use the rest.
  [misspelt, 'run look.yaml --sandbox', 2, 'error: the configuration opsbook.yaml is not valid'],
  [misspelt, 'start look.yaml', 2, 'error: the configuration opsbook.yaml is not valid'],
  [misspelt, 'resume latest', 2, 'error: the configuration opsbook.yaml is not valid'],
  [misspelt, 'test record latest --as a', 2, 'error: the configuration opsbook.yaml is not valid'],
  ['secrets: { a: 3 }\n', 'test record latest --as a', 2, 'opsbook.yaml is not valid'],
]

test.each(cases)('%j: %s ends with %i', async (text, line, code, said) => {
  const look = 'apiVersion: opsbook/v1\nname: look\nsteps: [{ id: a, uses: core/set, with: { a: 1 } }]\n'
  const folder = await newFolder({ 'opsbook.yaml': text, 'look.yaml': look })
  const ended = await opsbook(line.split(' '), { folder })
  expect(ended.stderr).toContain(said)
  expect(ended.code).toBe(code)
  // The findings are printed once, also with an error after them.
  expect(ended.stderr.match(/configuration opsbook.yaml is not valid/g)?.length ?? 0).toBe(1)
})
