import { createHash } from 'node:crypto'
import { link, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeRecord } from '../../../src/api/session-record/index.ts'
import { RunbookError } from '../../../src/core/run-error.ts'
import { errorOf, inChunks, largeRecord, thenFailing } from './feed.ts'
import { event, meta } from './records.ts'

const text = meta('s') + event('user_message', 1) + event('final_answer', 2)
const bytes = Buffer.from(text)
let folder = ''
let file = ''

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'opsbook-record-')))
  file = join(folder, 'record.ndjson')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe('a record on its way to a file', () => {
  it('is described by what is in the file', async () => {
    const record = await writeRecord(inChunks(bytes), file)
    expect(record).toEqual({
      path: file,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      lines: 3,
      sub_sessions: 0,
      complete: 'yes',
      signs: [],
    })
    expect(await readFile(file, 'utf8')).toBe(text)
    expect(await readdir(folder)).toEqual(['record.ndjson'])
  })

  it('arrives whole when it is larger than all memory set aside for it, and than what one flush writes', async () => {
    const record = await writeRecord(largeRecord(80_000), file)
    const written = await readFile(file)
    const sent: Uint8Array[] = []
    for await (const chunk of largeRecord(80_000)) sent.push(chunk)
    expect(written.equals(Buffer.concat(sent))).toBe(true)
    expect(record).toMatchObject({
      bytes: written.length,
      lines: 80_001,
      complete: 'yes',
      sha256: createHash('sha256').update(written).digest('hex'),
    })
    expect(written.length).toBeGreaterThan(64 * 1024 * 1024)
  })

  it('says in words what makes it doubtful', async () => {
    const gap = meta('s') + event('user_message', 1) + event('final_answer', 5)
    expect(await writeRecord(inChunks(Buffer.from(gap)), file)).toMatchObject({
      complete: 'unknown',
      signs: ['seq_gap'],
      doubt: 'line 3 has seq 5 where 2 is next in session s',
    })
  })

  it('replaces an older file only at the very end', async () => {
    await writeFile(file, 'old')
    const seen: string[] = []
    async function* watched(): AsyncGenerator<Uint8Array> {
      for await (const chunk of largeRecord(3000)) {
        seen.push(await readFile(file, 'utf8'))
        yield chunk
      }
    }
    await writeRecord(watched(), file)
    expect(new Set(seen)).toEqual(new Set(['old']))
    expect((await readFile(file, 'utf8')).startsWith(meta('s'))).toBe(true)
  })

  it('leaves a link a link', async () => {
    await mkdir(join(folder, 'real'))
    const real = join(folder, 'real', 'record.ndjson')
    await writeFile(real, 'old')
    await symlink(real, file)
    await writeRecord(inChunks(bytes), file)
    expect(await realpath(file)).toBe(real)
    expect(await readFile(real, 'utf8')).toBe(text)
  })

  it('does not change what another name of the old file shows', async () => {
    await writeFile(file, 'old')
    await link(file, join(folder, 'other'))
    await writeRecord(inChunks(bytes), file)
    expect(await readFile(join(folder, 'other'), 'utf8')).toBe('old')
  })

  it('does not mix with another one on its way to the same file', async () => {
    const both = await Promise.all([
      writeRecord(largeRecord(3000), file),
      writeRecord(largeRecord(2999), file),
    ])
    const sha256 = createHash('sha256')
      .update(await readFile(file))
      .digest('hex')
    expect(both.map((record) => record.sha256)).toContain(sha256)
    expect(both[0].sha256).not.toBe(both[1].sha256)
    expect(await readdir(folder)).toEqual(['record.ndjson'])
  })
})

describe('a record that is not whole', () => {
  it('is kept beside the file, which stays as it was', async () => {
    await writeFile(file, 'old')
    const cut = bytes.subarray(0, -5)
    const error = await errorOf(writeRecord(inChunks(cut), file))
    const path = `${file}.partial`
    expect(error).toMatchObject({
      code: 'TruncatedExport',
      details: {
        signs: ['broken_line', 'last_line_without_newline'],
        bytes: cut.length,
        lines: 3,
        path,
      },
    })
    expect(error.message).toContain(path)
    expect(await readFile(path)).toEqual(cut)
    expect(await readFile(file, 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['record.ndjson', 'record.ndjson.partial'])
  })

  it('takes the place of the one kept before', async () => {
    await errorOf(writeRecord(inChunks(bytes.subarray(0, -5)), file))
    await errorOf(writeRecord(inChunks(bytes.subarray(0, -9)), file))
    expect(await readdir(folder)).toEqual(['record.ndjson.partial'])
    expect(await readFile(`${file}.partial`)).toEqual(bytes.subarray(0, -9))
  })

  it('is kept under another name where that one is taken by a folder', async () => {
    await mkdir(join(folder, 'record.ndjson.partial', 'full'), { recursive: true })
    const error = await errorOf(writeRecord(inChunks(bytes.subarray(0, -5)), file))
    const { path } = error.details as { path: string }
    expect(path).toMatch(/record\.ndjson\.[0-9a-f]{8}\.partial$/)
    expect(await readFile(path)).toEqual(bytes.subarray(0, -5))
  })

  it('is not kept when nothing came', async () => {
    const error = await errorOf(writeRecord(inChunks(), file))
    expect(error).toMatchObject({
      code: 'TruncatedExport',
      details: { signs: ['empty_body'], bytes: 0, lines: 0 },
    })
    expect(error.details).not.toHaveProperty('path')
    expect(await readdir(folder)).toEqual([])
  })

  it('names what the error line says', async () => {
    const failed = `${text}${JSON.stringify({ error: { code: 'InternalError', message: 'no\nstorage' } })}\n`
    const error = await errorOf(writeRecord(inChunks(Buffer.from(failed)), file))
    expect(error.message).toContain('it ends with an error line (InternalError: no storage)')
  })
})

describe('a connection that breaks', () => {
  it.each([0, 1, 700, bytes.length])(
    'is a sign after %i bytes have come, unless they are 0',
    async (length) => {
      const broken = new RunbookError('ConnectionLost', 'the connection broke')
      const error = await errorOf(writeRecord(thenFailing(broken, bytes.subarray(0, length)), file))
      if (length === 0) {
        expect(error).toBe(broken)
        expect(await readdir(folder)).toEqual([])
      } else {
        expect(error).toMatchObject({ code: 'TruncatedExport', cause: broken })
        expect((error.details as { signs: string[] }).signs).toContain('connection_closed_early')
        expect(await readFile(`${file}.partial`)).toEqual(bytes.subarray(0, length))
      }
    },
  )
})

describe('a record that is cancelled', () => {
  it.each(['before the first byte', 'in the middle'])('%s leaves nothing behind', async (when) => {
    const cancelled = new RunbookError('Cancelled', 'cancelled')
    const sent = when === 'in the middle' ? [bytes] : []
    expect(await errorOf(writeRecord(thenFailing(cancelled, ...sent), file))).toBe(cancelled)
    expect(await readdir(folder)).toEqual([])
  })

  it('while the disk is written leaves nothing behind', async () => {
    const cancelled = new RunbookError('Cancelled', 'cancelled')
    const large = Buffer.alloc(64 * 1024 * 1024, 'x')
    expect(await errorOf(writeRecord(thenFailing(cancelled, large, large, large), file))).toBe(cancelled)
    expect(await readdir(folder)).toEqual([])
  })
})

describe('a line of a written record', () => {
  it('that is too long is counted and not read, which makes the record doubtful', async () => {
    async function* withLongLine(): AsyncGenerator<Uint8Array> {
      yield bytes
      for (let part = 0; part <= 16; part++) yield Buffer.alloc(1024 * 1024, 'x')
      yield Buffer.from(`\n${event('final_answer', 3)}`)
    }
    expect(await writeRecord(withLongLine(), file)).toMatchObject({
      lines: 5,
      complete: 'unknown',
      signs: ['line_too_long'],
      doubt: 'line 4 is too long to be read',
    })
  })
})
