import { join } from 'node:path'
import { expect, test } from 'vitest'
import { enginesOfTest } from './open-engines.ts'

const files = {
  'write.yaml':
    'apiVersion: opsbook/v1\nname: write\nsteps:\n  - { id: file, uses: core/write, with: { content: hello }, save-as: hello.txt }\n',
}

test('show names the directory in which it has looked for files in vain', async () => {
  const engines = await enginesOfTest(files)
  const id = `write-${process.pid}`
  expect((await engines.temporal(['run', 'write.yaml', '--id', id])).code).toBe(0)
  const shown = await engines.temporal(['show', id])
  expect(shown.stdout).toContain('hello.txt')
  expect(shown.stdout).not.toContain('OPSBOOK_DATA_DIR')
  const elsewhere = join(engines.folder, 'elsewhere')
  const { stdout } = await engines.temporal(['show', id, '--data-dir', elsewhere])
  expect(stdout).toContain(`file has written a file, but no file of this run is in ${elsewhere}`)
  expect(stdout).toContain('name it with --data-dir or OPSBOOK_DATA_DIR')
})
