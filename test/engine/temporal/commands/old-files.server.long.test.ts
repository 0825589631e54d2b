import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { findServer } from '../../../support/temporal-server.ts'
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

/** The script of the page, in the folder of this project. */
async function removeOldFiles(address: string): Promise<string> {
  const page = readFileSync(new URL('../../../../docs/temporal.md', import.meta.url), 'utf8')
  const [, script = ''] = /^```sh\ncd \/srv\/opsbook \|\| exit\n(.*?)^```$/ms.exec(page) ?? []
  const tool = await findServer({ environment: { ...process.env, TEMPORAL_ADDRESS: '' } })
  const PATH = [tool.kind === 'program' ? dirname(tool.path) : '', process.env['PATH']].join(delimiter)
  const { stderr } = await promisify(execFile)('sh', ['-c', script], {
    cwd: join(engines.folder, 'data'),
    env: { HOME: engines.folder, PATH, TEMPORAL_ADDRESS: address },
  })
  return stderr
}

/** Makes the last file of a run as old as the script asks for. */
function age(id: string): void {
  const then = new Date(Date.now() - 3 * 24 * 3600 * 1000)
  utimesSync(join(engines.folder, 'data', 'claims', id), then, then)
}

test('the script of the page removes the files of runs that the server has removed, and no others', async () => {
  const [kept, young, foreign, gone] = [
    await finished(),
    await forgotten(),
    await forgotten(),
    await forgotten(),
  ]
  writeFileSync(join(engines.folder, 'data', 'claims', foreign, 'namespace'), 'elsewhere')
  for (const id of [kept, foreign, gone]) age(id)
  // Where the server does not answer, nothing counts as removed.
  expect(await removeOldFiles('127.0.0.1:1')).not.toBe('')
  expect([kept, young, foreign, gone].map(filesOf)).toEqual(Array(4).fill(['hello.txt']))
  await removeOldFiles(inject('temporalAddress'))
  expect([kept, young, foreign, gone].map(filesOf)).toEqual([...Array(3).fill(['hello.txt']), []])
  expect(existsSync(join(engines.folder, 'data', 'claims', gone))).toBe(false)
  expect(JSON.parse((await engines.temporal(['show', kept, '-o', 'json'])).stdout).artifacts).toHaveLength(1)
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
