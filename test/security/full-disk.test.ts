/** The disk is full, which a stranger can bring about: who looks for the reason must still see what has happened. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

/** A disk of 2 MB. Undefined: only root can mount one. */
function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-full-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder])
  onTestFinished(() => {
    if (status === 0) spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  return status === 0 ? folder : undefined
}

function fill(folder: string): void {
  const file = openSync(join(folder, 'fill'), 'w')
  try {
    for (;;) writeSync(file, Buffer.alloc(1024))
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' })
  } finally {
    closeSync(file)
  }
}

it('runs, show, logs, inbox and events read, and run says why it does not start', async (test) => {
  const disk = mountSmallDisk()
  if (disk === undefined) return test.skip('a disk cannot be mounted here')
  const folder = await newFolder({
    'a.yaml': 'apiVersion: opsbook/v1\nname: a\nsteps: [{ id: a, uses: core/log, with: { message: hi } }]\n',
  })
  const at = ['--data-dir', join(disk, 'data')]
  const run = ['run', 'a.yaml', '--sandbox', ...at]
  expect(await opsbook(run, { folder })).toMatchObject({ code: 0 })
  fill(disk)
  for (const words of [['runs'], ['show', 'latest'], ['logs', 'latest'], ['inbox'], ['events']])
    expect(await opsbook([...words, ...at], { folder })).toMatchObject({ code: 0, stderr: '' })
  expect(await opsbook(run, { folder })).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('the disk is full'),
  })
})
