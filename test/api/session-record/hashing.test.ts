import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeRecord } from '../../../src/api/session-record/index.ts'
import { errorOf, inChunks, largeRecord, thenFailing } from './feed.ts'
import { event, meta } from './records.ts'

let folder = ''
let file = ''
const threads: Worker[] = []
let onThread: (thread: Worker) => unknown = () => {}

const take = (thread: Worker): void => {
  threads.push(thread)
  onThread(thread)
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opsbook-record-'))
  file = join(folder, 'record.ndjson')
  threads.length = 0
  onThread = () => {}
  process.on('worker', take)
})

afterEach(async () => {
  process.off('worker', take)
  await rm(folder, { recursive: true, force: true })
})

async function sha256Of(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}

async function gathered(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** A thread that is over has no number. */
const alive = (): readonly Worker[] => threads.filter(({ threadId }) => threadId !== -1)

describe('the digest of a record', () => {
  it('needs no thread where the record is short', async () => {
    const { sha256 } = await writeRecord(largeRecord(1000), file)
    expect(sha256).toBe(await sha256Of(file))
    expect(threads).toHaveLength(0)
  })

  it('comes from a thread where the record is long', async () => {
    let answers = 0
    onThread = (thread) => thread.on('message', () => answers++)
    const { sha256 } = await writeRecord(largeRecord(30_000), file)
    expect(sha256).toBe(await sha256Of(file))
    expect(threads).toHaveLength(1)
    expect(answers).toBeGreaterThan(10)
    expect(alive()).toEqual([])
  })

  it('is the same where the thread cannot start', async () => {
    onThread = (thread) => thread.terminate()
    const { sha256 } = await writeRecord(largeRecord(20_000), file)
    expect(sha256).toBe(await sha256Of(file))
    expect(threads).toHaveLength(1)
  })

  it('is never that of a part: nothing is left where the thread ends early', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(meta('s'))
      for (let seq = 1; ; seq++) yield Buffer.from(event('tool_call', seq, { output: 'x'.repeat(60_000) }))
    }
    onThread = (thread) => thread.once('message', () => thread.terminate())
    await expect(writeRecord(endless(), file)).rejects.toThrow('the thread')
    expect(alive()).toEqual([])
    expect(await readdir(folder)).toEqual([])
  })
})

describe('the thread that hashes a long record', () => {
  it('ends with a record that is cut', async () => {
    const bytes = await gathered(largeRecord(20_000))
    const error = await errorOf(writeRecord(thenFailing(new Error('gone'), bytes), file))
    expect(error.code).toBe('TruncatedExport')
    expect(threads).toHaveLength(1)
    expect(alive()).toEqual([])
  })

  it('ends with a record that is cancelled', async () => {
    const controller = new AbortController()
    onThread = (thread) => thread.once('message', () => controller.abort())
    const bytes = await gathered(largeRecord(20_000))
    async function* waiting(): AsyncGenerator<Uint8Array> {
      yield* inChunks(bytes)
      await once(controller.signal, 'abort')
      yield bytes
    }
    const error = await errorOf(writeRecord(waiting(), file, { signal: controller.signal }))
    expect(error.code).toBe('Cancelled')
    expect(threads).toHaveLength(1)
    expect(alive()).toEqual([])
    expect(await readdir(folder)).toEqual([])
  })
})
