import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from 'opsbook/api'
import { type Sandbox, startSandbox } from 'opsbook/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endOf, writingOf } from './feed.ts'

interface Exported {
  readonly session_id: string
  readonly include_subagents?: boolean
  readonly verdict: 'yes' | 'unknown' | 'truncated'
  readonly signs?: readonly string[]
  readonly lines: number
  readonly subSessions?: number
}

const sessions: readonly Exported[] = [
  { session_id: 'sess_short', verdict: 'yes', lines: 6 },
  { session_id: 'sess_nested', verdict: 'yes', lines: 6 },
  { session_id: 'sess_nested', include_subagents: true, verdict: 'yes', lines: 19, subSessions: 3 },
  { session_id: 'sess_lines_3000', verdict: 'yes', lines: 3000 },
  { session_id: 'sess_numbers', verdict: 'yes', lines: 3 },
  { session_id: 'sess_gap', verdict: 'unknown', signs: ['seq_gap'], lines: 4 },
  { session_id: 'sess_error_event', verdict: 'unknown', signs: ['last_line_unclear'], lines: 3 },
  { session_id: 'sess_empty', verdict: 'unknown', signs: ['end_not_reached'], lines: 1 },
  { session_id: 'sess_broken', verdict: 'truncated', signs: ['final_error_line'], lines: 5 },
]

let sandbox: Sandbox
let client: Client
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opsbook-record-'))
  sandbox = await startSandbox({ limits: false })
  client = createClient({ baseUrl: sandbox.url, appKey: 'sandbox-owner', proxy: 'none', limits: 'off' })
})

afterAll(async () => {
  await client.close()
  await sandbox.close()
  await rm(folder, { recursive: true, force: true })
})

describe('sessions of the sandbox', () => {
  it.each(sessions)('%o', async ({ lines, subSessions = 0, verdict, signs = [], ...input }) => {
    const file = join(folder, 'record.ndjson')
    const expected = { lines, subSessions, verdict, signs }
    const exporting = client.attempt('exportSession', input, { file })
    expect(await writingOf(exporting.then(({ data }) => data))).toMatchObject(expected)
    expect(await endOf((onEnd) => client.streamSession(input, { onEnd }))).toMatchObject(expected)
  })
})
