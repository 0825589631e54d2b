import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { enginesOfFile } from './open-engines.ts'

const files = {
  'write.yaml':
    'apiVersion: opsbook/v1\nname: write\nsteps:\n  - { id: file, uses: core/write, with: { content: hello }, save-as: hello.txt }\n',
}

const engines = enginesOfFile(files)

async function finished(): Promise<string> {
  const { stdout } = await engines.temporal(['run', 'write.yaml', '-q', '-o', 'json'])
  return JSON.parse(stdout).run_id
}

/** The files of a run that the server knows nothing of, as it does when the retention has passed. */
async function forgotten(): Promise<string> {
  const [id, name] = [await finished(), `run_forgotten_${++count}`]
  for (const folder of ['runs', 'claims'])
    renameSync(join(engines.folder, 'data', folder, id), join(engines.folder, 'data', folder, name))
  return name
}

let count = 0

const filesOf = (id: string): readonly string[] => {
  const folder = join(engines.folder, 'data', 'runs', id)
  return existsSync(folder) ? readdirSync(folder) : []
}

test('prune removes the files of runs that the server has removed, and no others', async () => {
  const [kept, gone, foreign] = [await finished(), await forgotten(), await forgotten()]
  writeFileSync(join(engines.folder, 'data', 'claims', foreign, 'namespace'), 'elsewhere')
  expect((await engines.temporal(['prune'])).stdout).toMatch(/^the server has removed no run whose files/)
  const dry = await engines.temporal(['prune', '--older-than', '0s', '--dry-run'])
  expect(dry.stdout).toMatch(
    new RegExp(`^ {2}${gone} {2}\\d{4}-.* {2}5 B\n\nwould remove the files of 1 run .*: 5 B\n$`),
  )
  expect(filesOf(gone)).toEqual(['hello.txt'])
  const removed = await engines.temporal(['prune', '--older-than', '0s', '-o', 'json'])
  expect(JSON.parse(removed.stdout)).toMatchObject({
    is_dry_run: false,
    runs: [{ run_id: gone, artifact_bytes: 5 }],
  })
  expect([kept, gone, foreign].map(filesOf)).toEqual([['hello.txt'], [], ['hello.txt']])
  expect(JSON.parse((await engines.temporal(['show', kept, '-o', 'json'])).stdout).artifacts).toHaveLength(1)
})

test('flags that need facts about deleted runs are refused', async () => {
  for (const words of [
    ['--status', 'failed'],
    ['--runbook', 'write'],
  ])
    expect(await engines.temporal(['prune', ...words])).toMatchObject({ code: 2, stdout: '' })
})

test('the embedded engine leaves the files of runs on workers alone', async () => {
  const id = await finished()
  const { stdout } = await engines.embedded(['run', 'write.yaml', '-q', '-o', 'json'])
  const own = JSON.parse(stdout).run_id
  expect((await engines.embedded(['prune', '--older-than', '0s'])).code).toBe(0)
  expect([id, own].map(filesOf)).toEqual([['hello.txt'], []])
})

test('show names the directory in which it has looked for files in vain', async () => {
  const id = await finished()
  const shown = await engines.temporal(['show', id])
  expect(shown.stdout).toContain('hello.txt')
  expect(shown.stdout).not.toContain('OPSBOOK_DATA_DIR')
  const elsewhere = join(engines.folder, 'elsewhere')
  const { stdout } = await engines.temporal(['show', id, '--data-dir', elsewhere])
  expect(stdout).toContain(`file has written a file, but no file of this run is in ${elsewhere}`)
  expect(stdout).toContain('name it with --data-dir or OPSBOOK_DATA_DIR')
})
