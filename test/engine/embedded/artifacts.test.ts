import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CallArtifacts } from '../../../src/engine/attempt/artifact-files.ts'
import { createCommitQueue } from '../../../src/engine/embedded/database/commit-queue.ts'
import { openDatabase } from '../../../src/engine/embedded/database/database.ts'
import { createArtifacts } from '../../../src/engine/embedded/run/artifacts.ts'
import { createStage } from './support/stage.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-artifacts-'))
const database = openDatabase(dataDir)
const folder = join(dataDir, 'files')
afterAll(() => {
  database.close()
  rmSync(dataDir, { recursive: true })
})

const artifactsIn = (place: string): CallArtifacts =>
  createArtifacts(place, database, createCommitQueue(database), 'run_1').forCall('step')
const artifacts = artifactsIn(folder)

it.each([
  'record.partial',
  'x.123.partial',
  'report.md',
  'hosts/web-01/session.ndjson',
  '.hidden',
  'ünïcode.txt',
])('takes %s', async (name) => {
  const file = await artifacts.fileFor(name)
  expect(file).toBe(join(folder, name))
  expect(statSync(dirname(file)).isDirectory()).toBe(true)
})

it.each([
  '../out.txt',
  'a/../../out.txt',
  'a/..',
  '/etc/passwd',
  '\\\\server\\share',
  'C:\\x',
  'a\\..\\b',
  '',
  'a//b',
  './a',
  'nul',
  'aux.txt',
  'COM1',
  'a/con.log/b',
  'x'.repeat(300),
  'é'.repeat(128),
  'PRN .txt',
  'a\0b',
  'a\nb',
  'what?',
  'end.',
  'end ',
  'record.ndjson.0123abcd.partial',
  'deep/x.89abcdef.partial',
])('refuses %j', async (name) => {
  await expect(artifacts.fileFor(name)).rejects.toMatchObject({ code: 'InvalidInput', notSent: true })
})

it('says where a folder cannot be made', async () => {
  await expect(artifactsIn('/dev/null/x').fileFor('report.md')).rejects.toMatchObject({
    code: 'FileNotWritten',
    message: expect.stringContaining('/dev/null/x'),
  })
})

/** The id of the run is not known before it: only the call learns which file is meant. */
const write = (id: string, file: string, more = ''): string =>
  `  - { id: ${id}, uses: core/write, with: { content: ${id} }, save-as: "\${{ run.id == '' ? '' : '' }}${file}"${more} }\n`

describe('a file that another call of the run has made', () => {
  it.each([
    ['the same name', 'note.txt', 'note.txt'],
    ['a name that only some file systems distinguish from it', 'Note.txt', 'note.TXT'],
  ])('is not overwritten: %s', async (_, first, second) => {
    const stage = createStage()
    const report = await stage.run(`${write('one', first)}${write('two', second)}`)
    expect(report).toMatchObject({
      status: 'failed',
      error: {
        code: 'InvalidInput',
        path: 'two',
        notSent: true,
        message: expect.stringContaining('is the file of one'),
      },
    })
    expect(readFileSync(join(report.artifacts_dir, first), 'utf8')).toBe('one')
  })

  it.each([1, 4])('is not overwritten by another item, %i at a time', async (atOnce) => {
    const stage = createStage()
    const loop = `, for-each: { items: [a, b, c, d], max-parallel: ${atOnce}, tolerate: all }`
    const report = await stage.run(write('notes', 'note.txt', loop))
    expect(stage.events.find(({ type }) => type === 'step_finished')).toMatchObject({
      outputs: {
        succeeded: 1,
        failed: 3,
        failures: [{ message: expect.stringContaining('"report-${{ index }}.json"') }, {}, {}],
      },
    })
    expect(readdirSync(report.artifacts_dir)).toEqual(['note.txt'])
  })

  it('has a name that is free again when its call made no file', async () => {
    const stage = createStage()
    stage.answer = ({ name }) => {
      if (name === 'main') throw new Error('no')
      return { name }
    }
    const report = await stage.run(`
  - id: main
    uses: note/read
    with: { name: main }
    save-as: note.json
    catch:
      - errors: [all]
        steps:
          - { id: instead, uses: note/read, with: { name: instead }, save-as: note.json }
`)
    expect(report.status).toBe('succeeded')
    expect(readFileSync(join(report.artifacts_dir, 'note.json'), 'utf8')).toContain('instead')
  })

  it('has a name of its own for each item', async () => {
    const stage = createStage()
    const loop = ', for-each: { items: [a, b], max-parallel: 2 }'
    const report = await stage.run(write('notes', '${{ item }}.txt', loop))
    expect(readdirSync(report.artifacts_dir)).toEqual(['a.txt', 'b.txt'])
    expect(stage.reader().readRun(report.run_id)?.artifacts).toEqual([
      { file: 'a.txt', path: 'notes[0]', bytes: 5 },
      { file: 'b.txt', path: 'notes[1]', bytes: 5 },
    ])
  })
})

describe('the outputs of an action that writes no file itself', () => {
  const steps = `  - { id: note, uses: note/read, with: { name: ada }, save-as: note.json }\n`

  it('become one', async () => {
    const stage = createStage()
    const report = await stage.run(steps)
    expect(stage.rows('SELECT output FROM attempts').map(({ output }) => JSON.parse(String(output)))).toEqual(
      [{ path: 'note.json', bytes: 20, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    )
    expect(readFileSync(join(report.artifacts_dir, 'note.json'), 'utf8')).toBe('{\n  "name": "ada"\n}\n')
  })

  it('may then be as large as they are', async () => {
    const stage = createStage()
    stage.answer = () => ({ text: 'x'.repeat(2_000_000) })
    expect(await stage.run(steps)).toMatchObject({ status: 'succeeded' })
  })

  it('of a create that was executed and cannot be written leave an unknown outcome', async () => {
    const stage = createStage()
    stage.answer = ({ name }) => {
      // What was free before the call is no longer free after it.
      const [run] = readdirSync(join(stage.dataDir, 'runs'))
      mkdirSync(join(stage.dataDir, 'runs', run ?? '', 'note.json'))
      return { name }
    }
    const report = await stage.run(steps.replace('note/read', 'note/make'))
    expect(report).toMatchObject({
      status: 'unknown',
      error: { code: 'OutcomeUnknown', details: { output: { name: 'ada' } } },
    })
  })
})

it('removes the partial files of a dead process when the run is resumed', async () => {
  const stage = createStage()
  const handle = await stage.start(
    `${write('one', 'deep/one.txt')}  - { id: pause, uses: core/wait, with: { for: 1h } }\n`,
  )
  for await (const { type } of handle.events) if (type === 'waiting') handle.interrupt()
  const { artifacts_dir } = await handle.result
  writeFileSync(join(artifacts_dir, 'deep', 'two.txt.0123abcd.partial'), 'half')
  writeFileSync(join(artifacts_dir, 'kept.partial'), 'a record that was not whole')
  const again = await stage.reopen(handle.runId)
  again.interrupt()
  await again.result
  expect(readdirSync(artifacts_dir, { recursive: true }).toSorted()).toEqual([
    'deep',
    'deep/one.txt',
    'kept.partial',
  ])
})
