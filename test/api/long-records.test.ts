import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SentRecord, sendLongRecord } from './long-record.ts'
import { selfSigned } from './self-signed.ts'
import { sendEnvelope, startStandIn } from './stand-in.ts'

let folder = ''
let file = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opsbook-long-'))
  file = join(folder, 'record.ndjson')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const digestOf = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

describe('a record much longer than the memory it passes through', () => {
  it('arrives byte for byte, however the connection cuts it', async () => {
    const sent: SentRecord[] = []
    const service = await startStandIn(async (_received, response) => {
      sent.push(await sendLongRecord(response))
    })
    const client = service.client({ limits: 'off' })
    const both = [file, `${file}.2`]
    const exported = await Promise.all(
      both.map((path) => client.exportSession({ session_id: 'sess_long' }, { file: path })),
    )
    for (const [index, { data }] of exported.entries()) {
      expect(data).toMatchObject({ ...sent[index], complete: 'yes' })
      expect(await digestOf(data.path)).toBe(sent[index]?.sha256)
    }
  })

  it('is read line for line by a reader that is slow at times', async () => {
    const service = await startStandIn((_received, response) => {
      void sendLongRecord(response)
    })
    let seq = 0
    for await (const line of service.client({ limits: 'off' }).streamSession({ session_id: 'sess_long' })) {
      if (line.type !== 'tool_call') continue
      seq++
      const { output } = line
      expect(line.seq).toBe(seq)
      expect(output).toBe(String.fromCharCode(97 + (seq % 26)).repeat(String(output).length))
      if (seq % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(seq).toBe(1000)
  })

  it('arrives byte for byte over TLS', async () => {
    const certificate = join(folder, 'certificate.pem')
    await writeFile(certificate, selfSigned.cert)
    const script = fileURLToPath(new URL('./export-over-tls.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, file], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
    })
    const { sent, data } = JSON.parse(stdout)
    expect(data).toMatchObject({ ...sent, complete: 'yes' })
    expect(await digestOf(file)).toBe(sent.sha256)
  })
})

it('an error in place of a record is read whole, in however many pieces it comes', async () => {
  const service = await startStandIn((_received, response) => {
    const trace = Array.from({ length: 40_000 }, (_, index) => ({ index }))
    const error = { code: 'ResourceNotFound', message: 'no such session' }
    sendEnvelope(response, { trace, error, request_id: 'req-1' }, 404)
  })
  const call = service.client().exportSession({ session_id: 'sess_none' }, { file })
  await expect(call).rejects.toMatchObject({ code: 'ResourceNotFound', requestId: 'req-1' })
})
