import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { openService, validBodies } from './open-service.ts'

const service = await openService()

describe('a file that cannot be written', () => {
  const isRoot = process.getuid?.() === 0
  const places: readonly [title: string, place: () => string][] = [
    ['a folder that is not there', () => service.file('nowhere/record.ndjson')],
    ['the name of a folder', () => makeFolder('taken', 0o755)],
    ['below a file', () => join(makeFile('plain'), 'record.ndjson')],
    // Root may write everywhere: there the folder is one of the kernel's.
    [
      'a folder without permission',
      () => (isRoot ? '/proc/record.ndjson' : join(makeFolder('locked', 0o555), 'record.ndjson')),
    ],
  ]
  it.each(places)('%s: FileNotWritten, and nothing is asked for', async (_title, place) => {
    const file = place()
    const arrived = await service.receivedDuring(async () => {
      const failure = await failureOf(service.client().exportSession(validBodies.E6, { file }))
      expect(failure).toMatchObject({ code: 'FileNotWritten', message: expect.stringContaining(file) })
    })
    expect(arrived).toEqual([])
  })

  it('a device: nothing is written to it', async () => {
    const exported = service.client().exportSession(validBodies.E6, { file: '/dev/null' })
    expect(await failureOf(exported)).toMatchObject({ code: 'FileNotWritten' })
    expect(statSync('/dev/null').isFile()).toBe(false)
  })

  it('a disk that is full: FileNotWritten, and nothing is left of what was written', async () => {
    // A limit on the file size simulates a full disk.
    const file = service.file()
    const program = fileURLToPath(new URL('./export-session.ts', import.meta.url))
    const command = 'ulimit -f 256 && exec "$0" --import tsx "$@"'
    const args = ['-c', command, process.execPath, program, service.url, 'sess_lines_1000', file]
    const { stdout } = await promisify(execFile)('bash', args)
    const failure = JSON.parse(stdout)
    expect(failure).toMatchObject({ code: 'FileNotWritten', message: expect.stringContaining(file) })
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)))).toEqual([])
  })

  function makeFolder(name: string, mode: number): string {
    const folder = service.file(name)
    mkdirSync(folder)
    chmodSync(folder, mode)
    return folder
  }

  function makeFile(name: string): string {
    const file = service.file(name)
    writeFileSync(file, '')
    return file
  }
})
