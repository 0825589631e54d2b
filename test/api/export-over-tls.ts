/** Exports a long record over TLS to the file of the first argument; prints what was sent and what came. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createClient } from 'opsbook/api'
import { type SentRecord, sendLongRecord } from './long-record.ts'
import { selfSigned } from './self-signed.ts'

let sent: SentRecord | undefined
const server = createServer(selfSigned, async (_request, response) => {
  sent = await sendLongRecord(response)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
const client = createClient({ baseUrl, appKey: 'test-key-0123456789', limits: 'off', proxy: 'none' })
const { data } = await client.exportSession({ session_id: 'sess_long' }, { file: process.argv[2] ?? '' })
await client.close()
server.close()
process.stdout.write(JSON.stringify({ sent, data }))
