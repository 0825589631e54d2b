import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRecord, writeRecord } from '../../../src/api/session-record/index.ts'
import { bytesOf, everyByte, inChunks, readingOf, scanOf, splitAt, writingOf } from './feed.ts'
import { otherRecords, type RecordCase, wholeRecords } from './records.ts'

const records = [...wholeRecords, ...otherRecords]
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opsbook-record-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const expected = ({ lines, subSessions = 0, verdict, signs = [], doubt }: RecordCase): object => ({
  lines,
  subSessions,
  verdict,
  signs,
  ...(doubt === undefined ? {} : { doubt }),
})

describe('the judgement of a record', () => {
  it.each(records)('written: $name', async (record) => {
    const { text, includeSubagents = false } = record
    const file = join(folder, 'written.ndjson')
    const options = { includeSubagents }
    const whole = await writingOf(writeRecord(inChunks(bytesOf(text)), file, options))
    const inBytes = await writingOf(writeRecord(inChunks(...everyByte(text)), file, options))
    expect(whole).toMatchObject(expected(record))
    expect(inBytes).toEqual(whole)
  })

  it.each(records)('read: $name', async (record) => {
    const { text, includeSubagents = false } = record
    const whole = await readingOf(inChunks(bytesOf(text)), { includeSubagents })
    const inBytes = await readingOf(inChunks(...everyByte(text)), { includeSubagents })
    expect(whole).toMatchObject(expected(record))
    expect(inBytes).toEqual(whole)
  })
})

describe('a chunk that ends anywhere', () => {
  it.each(records)('changes nothing: $name', ({ text, includeSubagents = false }) => {
    const bytes = bytesOf(text)
    const whole = scanOf([bytes], includeSubagents)
    for (let at = 0; at <= bytes.length; at++) {
      expect(scanOf(splitAt(bytes, at), includeSubagents), `split at byte ${at}`).toEqual(whole)
    }
  })
})

describe('a record that is cut anywhere', () => {
  it.each(wholeRecords)('is never complete: $name', ({ text, includeSubagents = false }) => {
    const bytes = bytesOf(text)
    const end = bytes.toString().trimEnd().length
    const whole = Buffer.byteLength(bytes.toString().slice(0, end))
    for (let length = 0; length <= whole; length++) {
      const { verdict } = scanOf([bytes.subarray(0, length)], includeSubagents)
      expect(verdict, `cut to ${length} of ${bytes.length} bytes`).not.toBe('yes')
    }
  })

  it('is never complete as a file', async () => {
    const bytes = bytesOf(wholeRecords[0]?.text ?? '')
    for (let length = 0; length < bytes.length; length += 7) {
      const file = join(folder, `cut-${length}.ndjson`)
      const { verdict } = await writingOf(writeRecord(inChunks(bytes.subarray(0, length)), file))
      expect(verdict, `cut to ${length} bytes`).not.toBe('yes')
      if (verdict === 'truncated') expect(await readdir(folder)).not.toContain(`cut-${length}.ndjson`)
    }
  })

  it('is truncated wherever it is cut within a line, by a reader too', async () => {
    const bytes = bytesOf(wholeRecords[0]?.text ?? '')
    for (let length = 0; length < bytes.length; length++) {
      const { verdict } = await readingOf(inChunks(bytes.subarray(0, length)))
      const isBetweenLines = bytes[length - 1] === 0x0a
      expect(verdict, `cut to ${length} bytes`).toBe(isBetweenLines ? 'unknown' : 'truncated')
    }
  })

  it('adds nothing that is not in the record', async () => {
    const lines: unknown[] = []
    const text = wholeRecords[0]?.text.toString() ?? ''
    for await (const line of readRecord(inChunks(bytesOf(text)))) lines.push(line)
    expect(lines).toEqual(
      text
        .trim()
        .split('\n')
        .map((row) => JSON.parse(row)),
    )
  })
})
