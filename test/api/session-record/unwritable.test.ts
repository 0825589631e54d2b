import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeRecord } from '../../../src/api/session-record/index.ts'
import { errorOf } from './feed.ts'

const notHere =
  process.platform === 'win32' ? ' (skipped: this system has neither users nor limits as meant)' : ''

let folder = ''
let asked = 0

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opsbook-record-'))
  asked = 0
})

afterEach(async () => {
  await chmod(folder, 0o700)
  await rm(folder, { recursive: true, force: true })
})

async function* source(): AsyncGenerator<Uint8Array> {
  asked++
  yield Buffer.from('{"type":"session_meta"}\n')
}

describe('a file that cannot be written', () => {
  it.each([
    ['a folder', 'EISDIR', 'taken'],
    ['in a folder that does not exist', 'ENOENT', 'missing/record.ndjson'],
    ['in a folder that is a file', 'ENOTDIR', 'file/record.ndjson'],
    ['with a name that is too long', 'ENAMETOOLONG', `${'n'.repeat(300)}`],
  ])('is named with the reason, before the source is asked: %s', async (_what, reason, name) => {
    await mkdir(join(folder, 'taken'))
    await writeFile(join(folder, 'file'), '')
    const path = join(folder, name)
    const error = await errorOf(writeRecord(source(), path))
    expect(error).toMatchObject({ code: 'FileNotWritten', details: { reason, path } })
    expect(error.message).toContain(reason)
    expect(asked).toBe(0)
    expect((await readdir(folder)).sort()).toEqual(['file', 'taken'])
  })

  it('is never a device', async () => {
    const error = await errorOf(writeRecord(source(), '/dev/null'))
    expect(error).toMatchObject({ code: 'FileNotWritten', details: { reason: 'EEXIST', folder: '/dev' } })
  })

  it.skipIf(notHere)(`is named when the folder is not ours${notHere}`, async () => {
    await chmod(folder, 0o555)
    const script = fileURLToPath(new URL('./write-as-nobody.ts', import.meta.url))
    const words = ['--import', 'tsx', script, join(folder, 'record.ndjson')]
    const { stdout } = await promisify(execFile)(process.execPath, words)
    const said = JSON.parse(stdout)
    expect(said).toMatchObject({ code: 'FileNotWritten', details: { reason: 'EACCES', folder } })
    expect(said.uid).not.toBe(0)
  })

  // A limit on the size of files is a full disk in small: the system refuses in the middle of the file.
  it.skipIf(notHere)(`leaves nothing behind when the disk takes no more${notHere}`, async () => {
    const script = fileURLToPath(new URL('./write-endlessly.ts', import.meta.url))
    const command = `ulimit -f 6000; exec "$0" --import tsx "$1" "$2"`
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      command,
      process.execPath,
      script,
      join(folder, 'record.ndjson'),
    ])
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'FileNotWritten',
      details: { reason: 'EFBIG', folder },
      isSourceCancelled: true,
    })
    expect(await readdir(folder)).toEqual([])
  })
})
